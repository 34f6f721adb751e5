"""Check the commands in findings, and explain the refused ones. Pure."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace

from wizard.benchmark.smr_run import quick_test_obstacle
from wizard.findings.diagnose import diagnose as conclude
from wizard.findings.geometry import Pattern
from wizard.model.errors import Refused
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import Message, Sentence, t
from wizard.model.verdict import DisplacedVerdict
from wizard.plan.partition.move_target import planned_move
from wizard.plan.partition.possible import why_not_grow, why_not_grow_mounted, why_not_grow_to
from wizard.plan.partition.restore import why_not_restore
from wizard.plan.settings.release import why_not_release


def diagnose(
    machine: Machine, drive: Drive, patterns: tuple[Pattern, ...], probed: DisplacedVerdict | None = None
) -> Diagnosis:
    """Return the conclusions about a drive. Each remedy names the command that resolves the finding, or why
    that command is not possible. `probed` is the verdict of the quick probe for shingled recording."""
    found = conclude(machine, drive, patterns, probed)

    def checked(finding: Finding) -> Finding:
        if not finding.command:
            return finding
        why_not = _CHECKS[finding.command[0]](machine, drive, finding.command[1:], patterns)
        if why_not:
            remedy = t("{remedy} Not possible here: {why}", remedy=finding.remedy, why=why_not)
            return replace(finding, remedy=remedy, command=())
        command = shlex.join(("sudo", "diskwright", *finding.command))
        form = _MOVE if finding.command[0] == "move" else _RUN
        return replace(finding, remedy=form(remedy=finding.remedy, command=command))

    return replace(found, findings=tuple(map(checked, found.findings)))


_RUN = Sentence("{remedy} Run `{command}`.")
_MOVE = Sentence(
    "{remedy} Run `{command}`: all files are preserved, even through a power cut. The partition must not be "
    "in use."
)

_Words = tuple[str, ...]
_Check = Callable[[Machine, Drive, _Words, tuple[Pattern, ...]], Message | str | None]


def _why_not_move(
    machine: Machine, drive: Drive, words: _Words, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    del patterns
    try:
        planned_move(machine, drive, _partition(drive, words[0]))
    except Refused as refusal:
        return str(refusal)
    return None


def _why_not_plan(
    machine: Machine, drive: Drive, words: _Words, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    del machine, patterns
    if words[1] == "--restore-table":
        return why_not_restore(drive)
    part = _partition(drive, words[0])
    return why_not_grow(drive, part) or (why_not_grow_to(drive, part, int(words[2])) if words[2:] else None)


def _why_not_grow(
    machine: Machine, drive: Drive, words: _Words, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    del machine, patterns
    return why_not_grow_mounted(drive, _partition(drive, words[0]))


def _why_not_bench(
    machine: Machine, drive: Drive, words: _Words, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    del machine, words
    return quick_test_obstacle(drive, patterns)


def _why_not_release(
    machine: Machine, drive: Drive, words: _Words, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    del words, patterns
    return why_not_release(machine, drive)


_CHECKS: Mapping[str, _Check] = {
    "move": _why_not_move,
    "plan": _why_not_plan,
    "grow": _why_not_grow,
    "bench": _why_not_bench,
    "release": _why_not_release,
}
"""The check of each command that findings name."""


def _partition(drive: Drive, device: str) -> Partition:
    part = drive.partition(device)
    assert part is not None, device
    return part
