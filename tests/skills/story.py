"""A conversation over a small repository of several languages, to ask skills of."""

from collections.abc import Mapping

from statetape.context.inventory import Inventory
from statetape.context.situation import Situation
from statetape.files import Memory
from statetape.policies import POLICIES
from statetape.session import Session
from statetape.types import (
    Action,
    Call,
    Edit,
    Read,
    Result,
    Run,
    Say,
    Search,
    Slot,
    Step,
    StepKind,
    Write,
)
from statetape.workspace import Workspace

FILES = {
    "shop/__init__.py": "",
    "shop/base.py": (
        "LIMIT = 3\n\n\nclass Store:\n    def load(self):\n        return LIMIT\n\n"
        "    def save(self):\n        return self.load()\n"
    ),
    "shop/disk.py": (
        "from shop.base import Store as Base\n\n\nclass Disk(Base):\n    def load(self):\n"
        "        return 1\n\n\nclass Fast(Disk):\n    def load(self):\n        return 2\n"
    ),
    "shop/main.py": (
        "from . import base\nfrom shop.disk import (\n    Disk,\n    Fast,\n)\n\n\n"
        "def run(store: base.Store):\n    return store.save()\n\n\n"
        "def start():\n    return run(Disk())\n\n\ndef main():\n    return start()\n"
    ),
    "web/api.ts": (
        "export interface Source { fetch(): string }\n"
        "export class Api implements Source {\n  fetch() { return get() }\n}\n"
        "export function get() { return 'x' }\n"
    ),
    "web/page.ts": (
        "import { Api as Remote, get } from './api'\n"
        "export class Page extends Remote {\n  fetch() { return get() + 'y' }\n}\n"
        "export function show(api: Remote) { return api.fetch() }\n"
    ),
    "notes.md": "# Notes\n\ntext\n",
}


class Story:
    """Steps of an agent; `situation` is what a policy would see then."""

    def __init__(self, files: Mapping[str, str] = FILES, policy: str = "control") -> None:
        self.space = Workspace(Memory({path: text.encode() for path, text in files.items()}))
        self.inventory = Inventory(self.space, "/r", len)
        self.titles: dict[int, str] = {}
        self.session = Session(
            self.space,
            POLICIES[policy],
            len,
            title=lambda record: self.titles.get(record.step, "a message"),
        )
        self.count = 0

    @property
    def situation(self) -> Situation:
        return self.session.situation()

    def step(self, *actions: Action, text: str, kind: StepKind, title: str) -> Slot:
        self.count += 1
        name = f"c{self.count}"
        call, result = Call(Slot(name, "input"), "Tool", {}), Result(Slot(name, "result"), text)
        self.titles[self.count] = title
        for record in self.inventory.of_step(
            Step(self.count, kind, actions, call, result), self.space.now
        ):
            self.session.hold(record)
        return result.slot

    def say(self, text: str) -> Slot:
        slot = Slot(f"m{self.count}", "say")
        self.session.hold(self.inventory.of_say(Say(slot, "user", text), self.count))
        return slot

    def read(self, path: str, first: int = 1, last: int | None = None) -> Slot:
        lines = (self.space.text(path) or "").splitlines()[first - 1 : last]
        text = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first))
        return self.step(Read(path), text=text, kind="read", title=f"read {path}")

    def search(self, pattern: str) -> Slot:
        hits = [
            f"{path}:{n}:{line}"
            for path in sorted(self.space.paths())
            for n, line in enumerate((self.space.text(path) or "").splitlines(), 1)
            if pattern in line
        ]
        action = Search(pattern, fixed=True)
        return self.step(action, text="\n".join(hits), kind="search", title=f"search {pattern}")

    def test(self) -> Slot:
        run = Run("pytest", "test")
        return self.step(run, text="3 passed", kind="run", title="pytest")

    def edit(self, path: str, old: str, new: str) -> Slot:
        text = self.space.text(path)
        assert text is not None
        assert old in text
        self.put(path, text.replace(old, new))
        edit = Edit(path, old=old, new=new)
        return self.step(edit, text="done", kind="edit", title=f"edit {path}")

    def put(self, path: str, text: str | None) -> None:
        after = None if text is None else text.encode()
        self.space.observe(Write(path, self.space.read(path), after))
