"""What an agent holds against what it needs, measured on recorded sessions."""
