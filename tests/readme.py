"""`python -m tests.readme [--check]`: the parts of the README and of docs/ that are made from the program
itself."""

import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
PAGES = (REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted((REPO / "docs").glob("*.md")))
"""What people read. A part that is made stands in one of them, between its marks."""


def put(mark: str, text: str, *, keep: bool = False) -> bool:
    """Replace what stands between <!-- mark --> and <!-- /mark -->; true where that is not the same. With
    `keep` nothing is written.

    Raises SystemExit where the marks do not stand exactly once in all pages.
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


def codes() -> str:
    """The table of finding codes."""
    from wizard.findings.diagnose import CODES

    return "\n".join(
        [
            "| code | meaning |",
            "|---|---|",
            *(f"| `{code}` | {meaning} |" for code, meaning in sorted(CODES.items())),
        ]
    )


def renew(mark: str, text: str, command: str) -> None:
    """What `command` makes between its marks is put there; with --check nothing is, and it ends with a
    sentence where that is not there."""
    checks = "--check" in sys.argv
    if put(mark, text, keep=checks) and checks:
        raise SystemExit(f"the part {mark} of README and docs is out of date: run {command}")


if __name__ == "__main__":
    renew("codes", codes(), "python -m tests.readme")
