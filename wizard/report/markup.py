"""HTML that cannot be broken into: every text is escaped unless it is markup already, and only `tag` and its
kin make markup."""

import shlex
from collections.abc import Iterable, Sequence
from html import escape

from wizard.model.said import Said

VOID = frozenset({"meta", "br"})


class Markup(str):
    """Text that is HTML. Everything else is escaped where it is put into a page."""

    __slots__ = ()


Content = str | Said
"""What stands on a page: text, which is escaped unless it is `Markup`, and sentences."""

Row = Sequence[Content]


def clean(text: str) -> str:
    """Foreign text made safe to show, whole: control characters and those that turn the direction of writing
    become `?`, lines stay."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def shown(content: Content) -> Markup:
    """Content as markup."""
    return content if isinstance(content, Markup) else Markup(escape(clean(str(content))))


def join(parts: Iterable[Content]) -> Markup:
    """Several pieces, one behind the other."""
    return Markup("".join(shown(part) for part in parts))


def tag(name: str, /, *children: Content, **attributes: str | float | None) -> Markup:
    """An element. An attribute's `_` stands for `-`, and one at the end is dropped (`class_`); None leaves it
    out."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{words}>" if name in VOID else f"<{name}{words}>{join(children)}</{name}>")


def paragraphs(*sentences: Content, class_: str | None = None) -> Markup:
    """A paragraph for each sentence that says something."""
    return join(tag("p", sentence, class_=class_) for sentence in sentences if sentence)


def listed(items: Iterable[Content]) -> Markup:
    """A list; nothing for none."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points) if points else Markup("")


def pairs(rows: Iterable[tuple[Content, Content]]) -> Markup:
    """Names with what they stand for; those without are left out."""
    return tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows if value))


def table(
    caption: Content, heads: Sequence[Content], rows: Iterable[Row], *, numbers: Sequence[int] = ()
) -> Markup:
    """A table whose first column names its rows; the columns in `numbers` are set to the right."""
    head = tag(
        "tr", *(tag("th", name, scope="col", class_=_number(at, numbers)) for at, name in enumerate(heads))
    )
    body = [
        tag(
            "tr",
            *(
                tag("td" if at else "th", cell, scope=None if at else "row", class_=_number(at, numbers))
                for at, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    return tag(
        "div", tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body)), class_="wide"
    )


def _number(at: int, numbers: Sequence[int]) -> str | None:
    return "number" if at in numbers else None


def commands(argvs: Iterable[Sequence[str]]) -> Markup:
    """Commands as a shell reads them, one a line; nothing for none."""
    lines = [shlex.join(argv) for argv in argvs]
    return tag("pre", tag("code", "\n".join(lines))) if lines else Markup("")


def folded(summary: Content, *children: Content) -> Markup:
    """What is there for who wants it."""
    return tag("details", tag("summary", summary), *children)


def word(kind: str, text: Content) -> Markup:
    """A word that carries its meaning, with a colour of its `kind` beside it."""
    return join((tag("strong", text, class_=f"word {kind}"), " "))


def moment(at: str) -> str:
    """A time in ISO 8601 and UTC, to the second."""
    return f"{at[:10]} {at[11:19]} UTC"
