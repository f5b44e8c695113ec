"""Looking at a configuration file without starting anything."""

from config_loader.json_io import load


def read_config(path):
    """What the file at `path` says, without defaults."""
    document = load(path)
    return dict(document)


def read_key(path, key):
    """One setting of the file at `path`, None where it says nothing."""
    return read_config(path).get(key)
