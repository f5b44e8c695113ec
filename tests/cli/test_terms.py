"""The terms of changes as options: what is no number is told in one line."""

import pytest
from click.testing import CliRunner

from statetape.cli import cli


@pytest.mark.parametrize("option", ["--horizon", "--notes"])
@pytest.mark.parametrize("value", ["9" * 5000, "-1", "1e3", "", "10001", "\u00b2", "9" * 9])
def test_what_is_no_such_number_is_told_in_one_line(option: str, value: str) -> None:
    found = CliRunner().invoke(cli, ["run", f"{option}={value}", "--", "claude"])
    assert found.exit_code == 2
    assert isinstance(found.exception, SystemExit)
    assert len(found.stderr.strip().splitlines()[-1]) < 200
