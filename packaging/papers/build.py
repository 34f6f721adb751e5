#!/usr/bin/env python3
"""`packaging/papers/build.py OUTPUT`: write manual pages and completions, laid out as below /usr.

Requires a Python with rich, and no network. SOURCE_DATE_EPOCH sets the date of the pages (default: today).
"""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def papers(date: str) -> Iterator[tuple[str, str]]:
    """Yield path below /usr and text of every file. `date` has the form 2026-01-31."""
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
    """Return the date of SOURCE_DATE_EPOCH, or else today."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    when = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return when.strftime("%Y-%m-%d")


def main(arguments: list[str]) -> int:
    """Write all files. Returns 2 without an output folder."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: packaging/papers/build.py OUTPUT", file=sys.stderr)
        return 2
    sys.path[:1] = [str(REPO), str(REPO / "packaging")]
    # Ignore the profiles of the building user.
    os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
    for place, text in papers(day()):
        file = Path(arguments[0], place)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
