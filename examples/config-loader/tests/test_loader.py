"""Loading, reading and starting."""

from config_loader.cli import main
from config_loader.loader import load_config
from config_loader.reader import read_key
from config_loader.server import start_server

SETTINGS = '{"host": "0.0.0.0", "port": 80}'


def write(folder, text):
    path = folder / "config.json"
    path.write_text(text)
    return path


def test_the_file_overlays_the_defaults(tmp_path):
    settings = load_config(write(tmp_path, SETTINGS))
    assert settings == {"host": "0.0.0.0", "port": 80, "debug": False}


def test_without_a_file_there_are_the_defaults(tmp_path):
    assert load_config(tmp_path / "absent.json")["host"] == "127.0.0.1"


def test_one_setting(tmp_path):
    assert read_key(write(tmp_path, SETTINGS), "port") == 80


def test_the_server_binds_to_what_the_file_says(tmp_path):
    server = start_server(write(tmp_path, SETTINGS))
    assert server.running
    assert server.address() == ("0.0.0.0", 80)


def test_an_unknown_command_is_refused(tmp_path):
    assert main(["stop", "config.json"]) == 2
