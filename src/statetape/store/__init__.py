"""What outlives a process: sticky changes and the index of the code, in SQLite."""
