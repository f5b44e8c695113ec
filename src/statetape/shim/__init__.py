"""The shim: a local proxy between a coding agent and the API of its model."""
