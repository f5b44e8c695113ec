"""A small service that reads its settings from a file."""
