"""The command line."""

import sys

from config_loader.reader import read_key
from config_loader.server import start_server


def main(arguments):
    """The exit code of one command."""
    command, path, *rest = arguments
    if command == "start":
        print(start_server(path).banner())
        return 0
    if command == "show":
        print(read_key(path, rest[0]))
        return 0
    print(f"no such command: {command}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
