"""Rows on the disk: kept, shared, bounded; whatever became of the file, never a wrong one."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from statetape.code import languages
from statetape.code.index import numbered
from statetape.store.index import rows
from statetape.store.index.cache import Cache
from statetape.store.index.version import extractors

FACTS = [languages.facts(f"m{n}.py", b"def f%d(): g()\n" % n * 20) for n in range(60)]
ROWS = [rows.row(each, extractors()) for each in FACTS]
KEYS = [row.key for row in ROWS]


def known(cache: Cache) -> set[bytes]:
    """The keys whose three blobs are read back; each has to be what was kept."""
    found: dict[bytes, set[int]] = {}
    for table, place in (("interfaces", 1), ("definitions", 2), ("words", 3)):
        read = getattr(rows, table.removesuffix("s") if place == 1 else table)
        for key, blob in cache.blobs(table, KEYS):  # type: ignore[arg-type]
            value = read(key, blob)
            if value is not None:
                assert blob == ROWS[KEYS.index(key)][place]
                found.setdefault(key, set()).add(place)
    return {key for key, places in found.items() if len(places) == 3}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database of a cache that holds all rows."""
    cache = Cache(tmp_path)
    cache.save(ROWS)
    cache.close()
    (file,) = tmp_path.glob("*.sqlite")
    return file


def test_what_was_kept_is_there_for_the_next(file: Path) -> None:
    cache = Cache(file.parent)
    assert known(cache) == set(KEYS)
    cache.close()
    assert known(cache) == set()


def test_no_word_of_a_text_is_kept() -> None:
    data = b"key = 'hunter2 correct_horse'  # battery\n\ndef f(): g('staple')\n"
    row = rows.row(languages.facts("m.py", data), extractors())
    for word in (b"hunter2", b"correct_horse", b"battery", b"staple"):
        assert not any(word in blob for blob in row)


def test_a_row_says_what_the_facts_say() -> None:
    facts, row = FACTS[7], ROWS[7]
    assert rows.interface(row.key, row.interface) == facts.interface()
    assert rows.definitions(row.key, row.definitions) == facts.definitions
    assert list(rows.words(row.key, row.words) or ()) == list(numbered(facts.used))
    assert rows.interface(ROWS[8].key, row.interface) is None


def test_another_extractor_has_other_keys() -> None:
    assert rows.key("a.py", b"1", b"old") != rows.key("a.py", b"1", b"new")
    assert rows.key("a.py", b"1", b"old") != rows.key("a.pyi", b"1", b"old")
    assert rows.key("a.py", b"1", b"old") == rows.key("other/b.py", b"1", b"old")
    assert rows.key("a.py", b"1", b"old") != rows.key("a_pb2.py", b"1", b"old")
    assert rows.key("a.js", b"1", b"old") != rows.key("a.min.js", b"1", b"old")


def test_without_a_folder_nothing_is_kept() -> None:
    cache = Cache(None)
    cache.save(ROWS)
    assert known(cache) == set()


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    cache.save(ROWS)
    assert not cache.writable
    assert known(cache) == set()


def test_a_file_that_cannot_be_written_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def refused(name: str, **options: object) -> sqlite3.Connection:
        if "mode=rwc" in name:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return connect(name, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", refused)
    cache = Cache(file.parent)
    assert not cache.writable
    assert known(cache) == set(KEYS)
    cache.save(ROWS)
    cache.touch(KEYS)
    cache.trim()
    cache.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_folder_is_read(file: Path) -> None:
    file.chmod(0o400)
    file.parent.chmod(0o500)
    try:
        cache = Cache(file.parent)
        assert known(cache) == set(KEYS)
        cache.save(ROWS)
        cache.close()
    finally:
        file.parent.chmod(0o700)


@pytest.mark.parametrize("size", [0, 1, 50, 100, 4096, 5000, 9000])
def test_a_truncated_file_is_begun_anew(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])
    cache = Cache(file.parent)
    known(cache)
    cache.save(ROWS)
    cache.save(ROWS)
    assert known(cache) == set(KEYS)
    cache.close()


@pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" * 500])
def test_another_file_in_its_place_is_begun_anew(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    cache = Cache(file.parent)
    cache.save(ROWS)
    assert known(cache) == set(KEYS)
    cache.close()


def test_another_schema_in_its_place_is_begun_anew(file: Path) -> None:
    file.unlink()
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE interfaces (a)")
    other.commit()
    other.close()
    cache = Cache(file.parent)
    cache.save(ROWS)
    assert known(cache) == set(KEYS)
    cache.close()


@settings(max_examples=60)
@example(flips=[(0.09375, 128)])
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=12))
def test_flipped_bytes_never_give_another_row(file: Path, flips: list[tuple[float, int]]) -> None:
    whole = file.read_bytes()
    damaged = bytearray(whole)
    for place, bits in flips:
        damaged[int(place * (len(damaged) - 1))] ^= bits
    for end in ("-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    file.write_bytes(damaged)
    try:
        cache = Cache(file.parent)
        assert known(cache) <= set(KEYS)
        cache.save(ROWS)
        known(cache)
        cache.close()
    finally:
        file.write_bytes(whole)


def test_the_oldest_rows_go_when_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    cache = Cache(tmp_path, size=60_000)
    for age, row in enumerate(ROWS):
        monkeypatch.setattr(time, "time", lambda age=age: now + 100_000 * age)
        cache.save([row._replace(words=row.words + b" " * 2000)])
    cache.touch(KEYS[:5])
    cache.trim()
    left = {key for key, _ in cache.blobs("interfaces", KEYS)}
    assert left >= {*KEYS[:5], *KEYS[-3:]}
    assert not left & set(KEYS[5:15])
    assert len(left) == len(list(cache.blobs("words", KEYS)))
    cache.close()
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) < 80_000
    nothing = Cache(tmp_path, size=1)
    nothing.trim()
    assert not list(nothing.blobs("interfaces", KEYS))
    nothing.close()


WRITER = """
import sys
from pathlib import Path
from statetape.code import languages
from statetape.code.index import numbered
from statetape.store.index.cache import Cache
from statetape.store.index.rows import row
from statetape.store.index.version import extractors
cache = Cache(Path(sys.argv[1]))
rows = [row(languages.facts(f"m{n}.py", b"def f%d(): g()\\n" % n * 20), extractors())
        for n in range(60)]
print("ready", flush=True)
for turn in range(int(sys.argv[2])):
    for row in rows:
        cache.save([row])
assert len(list(cache.blobs("words", [row.key for row in rows]))) == 60
cache.close()
"""


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Two processes that are writing all rows, again and again."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "cache"), turns], stdout=subprocess.PIPE
        )
        for turns in ("100000", "2")
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_a_killed_writer_and_another_leave_whole_rows(
    writers: list["subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    endless, ending = writers
    assert ending.wait() == 0
    endless.send_signal(signal.SIGKILL)
    endless.wait()
    cache = Cache(tmp_path / "cache")
    assert known(cache) == set(KEYS)
    cache.save(ROWS)
    assert known(cache) == set(KEYS)
    cache.close()
