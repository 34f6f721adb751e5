"""`python -m tests.readme [--check]`: write generated texts: parts of README and docs/, and the help that
the launcher prints before the first installation."""

import os
import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
PAGES = (REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted((REPO / "docs").glob("*.md")))
"""What people read. A part that is made stands in one of them, between its marks."""


def put(mark: str, text: str, *, keep: bool = False) -> bool:
    """Replace the text between <!-- mark --> and <!-- /mark -->. Return True if it differed. With `keep`,
    write nothing.

    Raises SystemExit unless the marks occur exactly once in all pages.
    """
    between = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
    found = [page for page in PAGES for _ in between.findall(page.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise SystemExit(f"README and docs have {len(found)} places marked {mark}")
    before = found[0].read_text(encoding="utf-8")
    after = between.sub(lambda held: f"{held[1]}{text}\n{held[2]}", before)
    if after != before and not keep:
        found[0].write_text(after, encoding="utf-8")
    return after != before


def finding_codes() -> list[str]:
    """Return the codes that docs/findings.md explains."""
    page = (REPO / "docs/findings.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z0-9-]+)` \| \S", page, re.MULTILINE)


def renew(mark: str, text: str, command: str) -> None:
    """Write the output of `command` between its marks. With --check, exit with an error if it is outdated."""
    checks = "--check" in sys.argv
    if put(mark, text, keep=checks) and checks:
        raise SystemExit(f"the part {mark} of README and docs is out of date: run {command}")


HELP = REPO / "wizard/help.txt"


def renew_help() -> None:
    """Record `diskwright --help` at 80 columns. With --check, fail if the record is outdated."""
    from wizard.cli.command import overview
    from wizard.cli.table import GROUPS, WIZARD

    os.environ["COLUMNS"] = "80"
    text = overview(GROUPS, WIZARD.arguments)
    if "--check" not in sys.argv:
        HELP.write_text(text, encoding="utf-8")
    elif not HELP.exists() or HELP.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{HELP.relative_to(REPO)} is outdated: run python -m tests.readme")


if __name__ == "__main__":
    renew_help()
