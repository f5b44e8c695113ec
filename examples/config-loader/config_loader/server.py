"""The service itself."""

from config_loader.loader import describe, load_config


class Server:
    """Accepts connections once it has been started."""

    backlog = 16

    def __init__(self, settings):
        self.settings = settings
        self.running = False

    def address(self):
        """The pair a socket binds to."""
        return self.settings["host"], self.settings["port"]

    def banner(self):
        """The first line of the log."""
        return f"listening on {describe(self.settings)}"

    def start(self):
        """Begin to accept connections."""
        self.running = True


def start_server(path):
    """A running server, configured by the file at `path`."""
    settings = load_config(path)
    server = Server(settings)
    server.start()
    return server
