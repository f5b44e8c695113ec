"""API formats: requests read without losing a byte, and written back with named texts replaced."""
