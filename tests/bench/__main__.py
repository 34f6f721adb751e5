"""`python -m tests.bench [--write]`: measure everything in turn, print the table, and with --write put it
into the README.

Needs root for loop drives. Every figure is the median of the ratios of runs made one right after the other,
ours and theirs in turn.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.bench.rows import DISKWRIGHT, Row, check_byte_code, drives, in_turn, ms, quiet, render
from tests.bench.screens import crowded, painting, serial, typing
from tests.readme import put
from wizard.documents.codec import parse_document
from wizard.model.units import GIB

RIVALS = (
    ("lsblk", "--output-all", "--json"),
    ("sfdisk", "--json"),
    ("parted", "--machine", "--script"),
    ("smartctl", "--json", "--info"),
)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the README")
    arguments = parser.parse_args()
    check_byte_code()
    table = render([*inspecting(), *painting(), *crowded(), *serial(), *typing(), *applying()])
    print(table)
    if arguments.write:
        put("figures", table)
    return 0


def inspecting() -> Iterator[Row]:
    """`inspect --json` against the four tools in turn on each drive."""
    for count, aim in ((1, "5.0"), (32, "0.5")):
        with drives(count) as paths:
            ours, theirs, ratio = in_turn(
                partial(quiet, *DISKWRIGHT, "inspect", "--json", *paths), partial(rivals, paths)
            )
        noun = "one loop drive" if count == 1 else f"{count} loop drives"
        yield Row(
            f"`inspect --json` on {noun}, against lsblk, sfdisk, parted and smartctl in turn",
            ms(ours),
            ms(theirs),
            ratio,
            aim,
        )


def applying() -> Iterator[Row]:
    """`apply` of one volume over a whole drive, against the bare commands that do the same."""
    with drives(2, 256 * GIB, table=False) as (ours, theirs), tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        token = ours.removeprefix("/dev/")

        def planned() -> None:
            quiet(*DISKWRIGHT, "plan", ours, "--replace", "--workload", "small-files", "-o", str(plan))

        def apply() -> None:
            quiet(*DISKWRIGHT, "apply", str(plan), "--confirm", token, "--journal", folder)

        def bare() -> None:
            quiet("wipefs", "--all", "--quiet", theirs)
            quiet(
                "sfdisk",
                "--quiet",
                "--no-reread",
                "--no-tell-kernel",
                theirs,
                stdin="label: gpt\nstart=2048\n",
            )
            quiet("partx", "--update", theirs)
            quiet("mkfs.ext4", "-q", "-F", *mkfs_options(plan), f"{theirs}p1")

        planned()
        own, other, ratio = in_turn(apply, bare, before=planned)
    yield Row(
        "`apply` of one ext4 over 256 GiB, verified, against wipefs, sfdisk and mkfs alone",
        ms(own),
        ms(other),
        ratio,
        "1.1",
    )


def mkfs_options(plan: Path) -> list[str]:
    """The options that the plan makes its filesystem with, so that both sides do the same work."""
    return [
        str(word)
        for word in parse_document(plan.read_text(), "diskwright.plan/1", str(plan))["volumes"][0][
            "mkfs_options"
        ]
    ]


def rivals(paths: Sequence[str]) -> None:
    """Each tool on each drive; smartctl's status for a drive without SMART does not matter."""
    for path in paths:
        for tool in RIVALS:
            last = [path, "print"] if tool[0] == "parted" else [path]
            subprocess.run([*tool, *last], capture_output=True, check=False, timeout=60)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("the measurements need root for their loop drives")
    raise SystemExit(main())
