"""`tests/run --python -m tests.bench.powercuts [--write]`: cut the power at every write and flush of
moving a partition back and forth, in every layout of tests/unit/apply/move/powercuts.py, and twice more
during recovery. Takes several minutes and changes nothing on the machine."""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.readme import put
from tests.unit.apply.lossy import POLICIES
from tests.unit.apply.move.powercuts import CASES, Case, Tally, cut_everywhere

HEAD = "| table | from sector | to sector | sectors | moved | states after cuts | of them wrong |"


def looked_at(number: int) -> Tally:
    """Check all cuts of one layout."""
    return cut_everywhere(CASES[number], number + 1, POLICIES)


def row(case: Case, tally: Tally) -> str:
    """Return a line of the table."""
    cells = (case.table, case.old, case.new, case.size, case.scheme, tally.states, len(tally.wrong))
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Print the table. Fails if any cut had a wrong result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/figures.md")
    arguments = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        tallies = [*pool.map(looked_at, range(len(CASES)))]
    wrong = [one for tally in tallies for one in tally.wrong]
    total = f"| all | | | | | {sum(tally.states for tally in tallies)} | {len(wrong)} |"
    lines = [HEAD, "|---" * 7 + "|", *map(row, CASES, tallies), total]
    print("\n".join(lines))
    print("\n".join(wrong[:10]), file=sys.stderr)
    if arguments.write:
        put("power-cuts", "\n".join(lines))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
