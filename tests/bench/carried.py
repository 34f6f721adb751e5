"""`sudo python -m tests.bench.carried FILE.run [--write]`: time of the one file to the first useful paint,
compared with the checkout of its build on the same machine."""

import argparse
from pathlib import Path

from tests.bench.rows import RUNS, check_byte_code, drives, render
from tests.bench.screens import READ, painted
from tests.bench.terminal import until_shown
from tests.readme import put

CHECKOUT = Path(__file__).resolve().parents[2] / "diskwright"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    arguments = parser.parse_args()
    check_byte_code()
    one, checkout = (str(arguments.file.resolve()),), (str(CHECKOUT),)
    with drives(1) as (path,):
        # The first start mounts it, or unpacks it.
        until_shown(one, READ)
        names, whole = (
            [(until_shown(one, shown), until_shown(checkout, shown)) for _ in range(RUNS)]
            for shown in (Path(path).name, READ)
        )
    table = render(
        [
            painted("the drives' names on the screen, from the one file against the checkout", names, "1.2"),
            painted("the first drive read and described, likewise", whole, "1.2"),
        ]
    )
    print(table)
    if arguments.write:
        put("carried", table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
