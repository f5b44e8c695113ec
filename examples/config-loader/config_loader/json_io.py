"""Reading JSON."""

import json


def load(path):
    """The document in the file at `path`."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)
