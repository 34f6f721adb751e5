"""`python -m tests.bench [--write]`: measure everything and print the table. --write puts it into the README.

Needs root for loop devices. Every figure is the median of ratios. Each ratio compares two runs in succession,
one of each side.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from tests.bench.rows import DISKWRIGHT, Row, check_byte_code, drives, in_turn, ms, quiet, render
from tests.bench.screens import crowded, painting, serial, typing, wide
from tests.readme import put
from wizard.model.said import GIB

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
    table = render([*inspecting(), *painting(), *crowded(), *serial(), *typing(), *wide(), *applying()])
    print(table)
    if arguments.write:
        put("figures", table)
    return 0


def inspecting() -> Iterator[Row]:
    """Compare `inspect --json` with each of the four tools, on each drive."""
    for count, aim, table in ((1, "5.0", True), (32, "0.5", True), (32, "0.5", False)):
        with drives(count, table=table) as paths:
            ours, theirs, ratio = in_turn(
                partial(quiet, *DISKWRIGHT, "inspect", "--json", *paths), partial(rivals, paths)
            )
        noun = "one loop drive" if count == 1 else f"{count} {'' if table else 'empty '}loop drives"
        yield Row(
            f"`inspect --json` on {noun}, against lsblk, sfdisk, parted and smartctl in turn",
            ms(ours),
            ms(theirs),
            ratio,
            aim,
        )


class EmptyDrives:
    """Two empty drives of 256 GiB, created again for each run, and the plan for the first."""

    def __init__(self, folder: Path) -> None:
        self._open = ExitStack()
        self.plan = folder / "plan.json"
        self.runs = folder / "runs"
        self.ours = self.theirs = ""

    def anew(self) -> None:
        """Create the drives and the plan."""
        self._open.close()
        self.ours, self.theirs = self._open.enter_context(drives(2, 256 * GIB, table=False))
        quiet(
            *DISKWRIGHT,
            "plan",
            self.ours,
            "--workload",
            "small-files",
            "--mount",
            "none",
            "-o",
            str(self.plan),
        )

    def close(self) -> None:
        """Remove the last drives."""
        self._open.close()

    def apply(self) -> None:
        """Apply the plan."""
        token = self.ours.removeprefix("/dev/")
        quiet(*DISKWRIGHT, "apply", str(self.plan), "--confirm", token, "--journal", str(self.runs))

    def bare(self) -> None:
        """Run bare commands that create and check the same filesystem."""
        table = "label: gpt\nstart=2048\n"
        quiet("wipefs", "--all", "--quiet", self.theirs)
        quiet("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", self.theirs, stdin=table)
        quiet("partx", "--update", self.theirs)
        quiet("mkfs.ext4", "-q", "-F", *mkfs_options(self.plan), f"{self.theirs}p1")
        quiet("e2fsck", "-f", "-n", f"{self.theirs}p1")
        quiet("parted", "--machine", "--script", self.theirs, "align-check", "opt", "1")


def applying() -> Iterator[Row]:
    """Compare `apply` of one volume on an empty drive with equivalent bare commands."""
    with tempfile.TemporaryDirectory() as folder, closing(EmptyDrives(Path(folder))) as pair:
        own, other, ratio = in_turn(pair.apply, pair.bare, before=pair.anew)
    yield Row(
        "`apply` of one ext4 over an empty drive of 256 GiB, rehearsed and verified, against wipefs, sfdisk, "
        "mkfs, e2fsck and parted",
        ms(own),
        ms(other),
        ratio,
        "4.0",
    )


def mkfs_options(plan: Path) -> list[str]:
    """Return the mkfs options of the plan, so that both sides do the same work."""
    return [str(word) for word in json.loads(plan.read_text())["volumes"][0]["mkfs_options"]]


def rivals(paths: Sequence[str]) -> None:
    """Return each tool for each drive. smartctl's exit status is ignored for drives without SMART."""
    for path in paths:
        for tool in RIVALS:
            last = [path, "print"] if tool[0] == "parted" else [path]
            subprocess.run([*tool, *last], capture_output=True, check=False, timeout=60)


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("the measurements need root for their loop drives")
    raise SystemExit(main())
