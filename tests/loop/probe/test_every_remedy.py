"""Every command in a finding about a drive image can be run: as a dry run, or on the test's own drive."""

import shlex
import subprocess

import pytest

from tests.daily import one_in
from tests.loop.applying import Work, diskwright
from tests.loop.probe.situations import BUILDERS
from tests.loop.program import probe_machine
from wizard.apply.remedies import diagnose
from wizard.findings.diagnose import diagnose as conclude
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Finding, FindingCommand
from wizard.process.program import find

DRY = {"sfdisk": "--no-act", "sgdisk": "--pretend", "vgimportclone": "--test"}
"""Options with which other tools write nothing. Tools without one run on the test's own drives, last."""

FINE = {"e2fsck": 7}
"""Largest exit code of success. e2fsck reports errors that it found without writing."""

MOVE = ("diskwright", "move")
NAMED: dict[str, tuple[str, ...]] = {
    "copy of group": ("vgimportclone",),
    "erased superblock": ("e2fsck", "-n"),
    "enlarged drive": ("diskwright", "plan"),
    "mounted": ("umount",),
    **{f"misaligned {what}": MOVE for what in ("ext4", "swap", "FAT in a GPT", "XFS in a GPT")},
}
"""First words of a command that findings must name."""

READING = ("advise", "bench", "status")


def fault(work: Work, command: FindingCommand) -> str:
    """Run the command, and return how it failed."""
    program, *words = command.argv
    if program == "diskwright":
        return own_fault(work, words)
    if program == "wipefs" and "--all" in words:
        words.insert(0, "--no-act")
    if program in DRY:
        words.insert(0, DRY[program])
    folder = work.place("FOLDER")
    folder.mkdir(parents=True, exist_ok=True)
    argv = [program, *(str(folder) if word == "FOLDER" else word for word in words)]
    # gdisk exits immediately, and writes nothing.
    done = subprocess.run(argv, input="q\n", capture_output=True, text=True, timeout=60, check=False)
    return (
        done.stderr or done.stdout or f"exit {done.returncode}"
        if done.returncode > FINE.get(program, 0)
        else ""
    )


def program_of(command: FindingCommand) -> str:
    return command.argv[0] if command.argv[0] not in ("diskwright", "sh") else ""


def own_fault(work: Work, words: list[str]) -> str:
    if words[0] == "plan":
        file = work.folder / "plan.json"
        plan = diskwright(work, *words, "-o", str(file))
        if plan.returncode:
            return plan.stderr
        words = ["apply", str(file), "--dry-run"]
    elif words[0] not in READING:
        words = [*words, "--dry-run"]
    elif "ID" in words:
        words[words.index("ID")] = "large-media"
    elif words[0] == "bench":
        words += ["--seconds", "1"]
    if words[0] not in (*READING, "move"):
        words += ["--fstab", str(work.fstab)]
    done = diskwright(work, *words)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", one_in(11, BUILDERS))
def test_every_displayed_command_runs(work: Work, name: str) -> None:
    drives = BUILDERS[name](work)
    machine = probe_machine(drives)
    shown: list[Finding] = []
    for drive in machine.drives:
        work.bench.own(drive.path)
        found = diagnose(machine, drive, load_patterns(), fstab=work.fstab).findings
        shown += found
        for one in conclude(machine, drive, load_patterns()).findings:
            assert all(
                machine.has_tool(word) for word in map(program_of, one.commands) if word and find(word)
            )
    commands = dict.fromkeys(one for finding in shown for one in finding.commands)
    last = [one for one in commands if one.argv[0] not in ("diskwright", *DRY)]
    faults = [
        f"{shlex.join(command.argv)}: {why}"
        for command in (*(one for one in commands if one not in last), *last)
        if (why := fault(work, command))
    ]
    assert not faults, "\n".join(faults)
    first = NAMED.get(name, ())
    assert not first or first in {one.argv[: len(first)] for one in commands}, commands
