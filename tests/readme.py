"""`python -m tests.readme [--check]`: the parts of the README that are made from the program itself."""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def put(mark: str, text: str) -> bool:
    """Replace what stands between <!-- mark --> and <!-- /mark -->; true where that changed the README."""
    before = README.read_text(encoding="utf-8")
    after, count = re.subn(
        rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda found: f"{found[1]}{text}\n{found[2]}", before, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"the README has {count} places marked {mark}")
    if after != before:
        README.write_text(after, encoding="utf-8")
    return after != before


def codes() -> str:
    """The table of finding codes."""
    from wizard.diagnose.codes import CODES

    return "\n".join(["| code | meaning |", "|---|---|", *(f"| `{code}` | {meaning} |" for code, meaning in sorted(CODES.items()))])


def renew(mark: str, text: str, command: str) -> None:
    """What `command` makes between its marks is put there; with --check nothing is, and it ends with a sentence where that is not there."""
    kept = README.read_text(encoding="utf-8")
    changed = put(mark, text)
    if changed and "--check" in sys.argv:
        README.write_text(kept, encoding="utf-8")
        raise SystemExit(f"the README's part {mark} is out of date: run {command}")


if __name__ == "__main__":
    renew("codes", codes(), "python -m tests.readme")
