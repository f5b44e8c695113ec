"""Keep a coding agent's context true: maintenance at every write, on a symbol-level code graph."""

__version__ = "0.1.0"
