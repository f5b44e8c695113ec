"""The documentation hangs together: every page is in the navigation, every link leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "README.md"])
def test_every_relative_link_leads_to_a_file(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text("utf-8"))
    assert sorted(f"docs/{page}" for page in navigation) == PAGES
