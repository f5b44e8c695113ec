"""A report as a page and as Markdown. The page loads nothing and runs nothing."""

from collections.abc import Iterator, Sequence
from html import escape
from string import Template

from statetape.cli.bench.document import Document, Figure, Table
from statetape.cli.bench.drawn import tag
from statetape.cli.page import asset, source_hash


def page(document: Document) -> str:
    """One self-contained page."""
    style = asset("page.css") + asset("bench.css")
    body = "".join(_sections(document))
    about = "".join(tag("p", escape(line), class_="about") for line in document.about)
    return Template(asset("bench.html")).substitute(
        policy=f"default-src 'none'; style-src {source_hash(style)}",
        title=escape(document.title),
        style=style,
        about=about,
        body=body,
    )


def markdown(document: Document) -> str:
    """The same in Markdown: the data of a figure stands for it."""
    lines = [f"# {document.title}", ""]
    for line in document.about:
        lines += [line, ""]
    for section in document.sections:
        lines += [f"## {section.title}", ""]
        for block in section.blocks:
            if isinstance(block, str):
                lines += [block, ""]
            else:
                table = block.data if isinstance(block, Figure) else block
                lines += [block.caption, "", *_rows(table), ""]
    return "\n".join(lines[:-1]) + "\n"


def _sections(document: Document) -> Iterator[str]:
    for section in document.sections:
        blocks = [_block(block) for block in section.blocks]
        yield tag("section", tag("h2", escape(section.title)), *blocks)


def _block(block: str | Table | Figure) -> str:
    match block:
        case Figure():
            data = tag("details", tag("summary", "Data"), _table(block.data))
            return tag(
                "figure",
                tag("div", block.picture, class_="wide"),
                block.legend,
                tag("figcaption", escape(block.caption)),
                data,
            )
        case Table():
            return _table(block)
    return tag("p", escape(block))


def _table(table: Table) -> str:
    head = tag("tr", *(tag("th", escape(words), scope="col") for words in table.heads))
    rows = (
        tag(
            "tr",
            tag("th", escape(row[0]), scope="row"),
            *(tag("td", escape(each)) for each in row[1:]),
        )
        for row in table.rows
    )
    return tag(
        "div",
        tag(
            "table",
            tag("caption", tag("span", escape(table.caption))),
            tag("thead", head),
            tag("tbody", *rows),
        ),
        class_="wide",
    )


def _rows(table: Table) -> Iterator[str]:
    yield _row(table.heads)
    yield _row(["---"] + ["---:"] * (len(table.heads) - 1))
    for row in table.rows:
        yield _row(row)


def _row(words: Sequence[str]) -> str:
    return "| " + " | ".join(each.replace("|", "\\|") or " " for each in words) + " |"
