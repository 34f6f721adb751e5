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
from contextlib import ExitStack, closing
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.rows import DISKWRIGHT, Row, check_byte_code, drives, in_turn, ms, quiet, render
from tests.bench.screens import crowded, painting, serial, typing, walking
from tests.readme import put
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import list_runs
from wizard.documents.codec import parse_document
from wizard.model.ext import Event
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
    table = render([*inspecting(), *painting(), *crowded(), *serial(), *typing(), *walking(), *applying()])
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


class EmptyDrives:
    """Two empty drives of 256 GiB, new ones each time, and the plan for the first."""

    def __init__(self, folder: Path) -> None:
        self._open = ExitStack()
        self.plan = folder / "plan.json"
        self.runs = folder / "runs"
        self.saving: list[float] = []
        self.ours = self.theirs = ""

    def anew(self) -> None:
        """Empty ones, and a plan."""
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
        """Give the last ones back."""
        self._open.close()

    def apply(self) -> float:
        """The seconds in which what lay there was read and saved, by the run's own journal."""
        token = self.ours.removeprefix("/dev/")
        quiet(*DISKWRIGHT, "apply", str(self.plan), "--confirm", token, "--journal", str(self.runs))
        entries = read_entries(list_runs(self.runs)[-1])
        saved = next(at for at, entry in enumerate(entries) if entry.event is Event.SAVED)
        begun, ended = (datetime.fromisoformat(entries[at].at) for at in (saved - 1, saved))
        self.saving.append((ended - begun).total_seconds())
        return self.saving[-1]

    def bare(self) -> None:
        """The commands that make and check the same."""
        table = "label: gpt\nstart=2048\n"
        quiet("wipefs", "--all", "--quiet", self.theirs)
        quiet("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", self.theirs, stdin=table)
        quiet("partx", "--update", self.theirs)
        quiet("mkfs.ext4", "-q", "-F", *mkfs_options(self.plan), f"{self.theirs}p1")
        quiet("e2fsck", "-f", "-n", f"{self.theirs}p1")
        quiet("parted", "--machine", "--script", self.theirs, "align-check", "opt", "1")


def applying() -> Iterator[Row]:
    """`apply` of one volume over a whole empty drive, against the bare commands that do the same."""
    with tempfile.TemporaryDirectory() as folder, closing(EmptyDrives(Path(folder))) as pair:
        own, other, ratio = in_turn(pair.apply, pair.bare, before=pair.anew)
    yield Row(
        "`apply` of one ext4 over an empty drive of 256 GiB, verified, against wipefs, sfdisk, mkfs, e2fsck "
        f"and parted; {ms(median(pair.saving))} in which what lay there was read and saved are not counted",
        ms(own),
        ms(other),
        ratio,
        "4.0",
    )


def mkfs_options(plan: Path) -> list[str]:
    """The options that the plan makes its filesystem with, so that both sides do the same work."""
    return [
        str(word)
        for word in parse_document(plan.read_text(), "diskwright.plan/2", str(plan))["volumes"][0][
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
