#!/usr/bin/env python3
"""`packaging/papers/build.py OUTPUT`: manual pages and completions, laid out as they lie below /usr.

It takes a Python that has rich, and fetches nothing. SOURCE_DATE_EPOCH dates the pages; without it they have
today's date.
"""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def papers(date: str) -> Iterator[tuple[str, str]]:
    """Every file below /usr, and its text; `date` is a day, as 2026-01-31."""
    from papers.bash import bash
    from papers.commands import program
    from papers.fish import fish
    from papers.manual import main_page, page
    from papers.zsh import zsh

    known = program()
    yield "share/man/man1/diskwright.1", main_page(known, date)
    for command in known.commands:
        yield f"share/man/man1/diskwright-{command.name}.1", page(known, command, date)
    yield "share/bash-completion/completions/diskwright", bash(known)
    yield "share/zsh/site-functions/_diskwright", zsh(known)
    yield "share/fish/vendor_completions.d/diskwright.fish", fish(known)


def day() -> str:
    """That of SOURCE_DATE_EPOCH, else today."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return when.strftime("%Y-%m-%d")


def main(arguments: list[str]) -> int:
    """Write them all; 2 where no folder is named."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: packaging/papers/build.py OUTPUT", file=sys.stderr)
        return 2
    sys.path[:1] = [str(REPO), str(REPO / "packaging")]
    # What whoever builds has among their own profiles belongs to nobody else.
    os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
    for place, text in papers(day()):
        file = Path(arguments[0], place)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
