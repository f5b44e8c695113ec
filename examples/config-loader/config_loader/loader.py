"""The settings of the service."""

import json

DEFAULTS = {"host": "127.0.0.1", "port": 8080, "debug": False}


def _read_json(path):
    """What the file at `path` says; nothing where there is no file."""
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return {}


def load_config(path):
    """The defaults, overlaid with what the file at `path` says."""
    settings = dict(DEFAULTS)
    settings.update(_read_json(path))
    return settings


def describe(settings):
    """Where the service listens, for one line of a log."""
    return f"{settings['host']}:{settings['port']}"
