"""Check the commands in findings, and explain the refused ones. Reads only the folder of runs."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.apply.run.runs import RunKind, find_run, kind_of, list_runs
from wizard.benchmark.smr_run import quick_test_obstacle
from wizard.findings.diagnose import diagnose as conclude
from wizard.findings.geometry import Pattern
from wizard.model.errors import DiskwrightError
from wizard.model.finding import Diagnosis, Finding, FindingCommand
from wizard.model.machine import Drive, Machine, Partition, Use
from wizard.model.said import Message, t
from wizard.model.verdict import DisplacedVerdict
from wizard.plan.partition.move_target import planned_move
from wizard.plan.partition.possible import why_not_grow, why_not_grow_mounted, why_not_grow_to
from wizard.plan.partition.restore import why_not_restore
from wizard.plan.refusals import in_use, measured, uses_of_part
from wizard.plan.settings.possible import why_not_relabel
from wizard.plan.settings.release import why_not_release


def diagnose(
    machine: Machine, drive: Drive, patterns: tuple[Pattern, ...], probed: DisplacedVerdict | None = None
) -> Diagnosis:
    """Return the conclusions about a drive. A finding keeps the commands that are possible now, or explains
    why none is. `probed` is the verdict of the quick probe for shingled recording."""
    found = conclude(machine, drive, patterns, probed)

    def checked(finding: Finding) -> Finding:
        reasons = [_why_not(machine, drive, command, patterns) for command in finding.commands]
        possible = tuple(one for one, reason in zip(finding.commands, reasons, strict=True) if reason is None)
        if possible or not reasons:
            return replace(finding, commands=possible)
        remedy = t("{remedy} Not possible here: {why}", remedy=finding.remedy, why=reasons[-1] or "")
        return replace(finding, remedy=remedy, commands=())

    return replace(found, findings=tuple(map(checked, found.findings)))


def _why_not(
    machine: Machine, drive: Drive, command: FindingCommand, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    """Return why a command of a finding about this drive is refused now, or None."""
    program = command.argv[0]
    if program == "diskwright":
        try:
            return _refuse(machine, drive, command.argv[1:], patterns) or None
        except DiskwrightError as refusal:
            return str(refusal)
    if program != "sh" and not machine.has_tool(program):
        return t("{program} was not found.", program=program)
    use = next((use for use in _uses(drive, command.unused)), None) if command.unused else None
    return t("{use}.", use=in_use(use)) if use else None


def _uses(drive: Drive, device: str) -> Sequence[Use]:
    """Return the uses of a drive, a partition or a layer, with the layers on it."""
    if device == drive.path:
        parts = [use for part in drive.partitions for use in uses_of_part(drive, part.path)]
        return [*drive.uses, *parts]
    if drive.partition(device):
        return uses_of_part(drive, device)
    mounts = [place for layer in drive.layers if layer.path == device for place in layer.mount_points]
    return [
        *(use for use in drive.uses if use.subject == device),
        *(Use("mounted", device, place) for place in mounts),
        *(Use("holder", device, layer.path) for layer in drive.layers if layer.below == device),
    ]


def _refuse(
    machine: Machine, drive: Drive, words: tuple[str, ...], patterns: tuple[Pattern, ...]
) -> Message | str | None:
    """Return why our own command is refused, or None. Raises DiskwrightError if its planner does."""
    match words:
        case ("move", device):
            planned_move(machine, drive, _partition(drive, device))
        case ("plan", _, "--restore-table"):
            return why_not_restore(drive)
        case ("plan", device, "--grow"):
            return why_not_grow(drive, _partition(drive, device))
        case ("plan", device, "--grow-to", size):
            part = _partition(drive, device)
            return why_not_grow(drive, part) or why_not_grow_to(drive, part, int(size))
        case ("grow", device):
            return why_not_grow_mounted(drive, _partition(drive, device))
        case ("release", _):
            return why_not_release(machine, drive)
        case ("bench", _, "--scratch", "--shingled", "--quick"):
            return quick_test_obstacle(drive, patterns)
        case ("bench", *_) | ("advise", *_):
            measured(drive)
        case ("new-uuid", device):
            return why_not_relabel(drive, device, uuid=True)
        case _:
            return _refuse_run(drive, words)
    return None


def _refuse_run(drive: Drive, words: tuple[str, ...]) -> Message | None:
    match words:
        case ("keep" | "resume", "--from-drive", _):
            if not drive.waiting and not any(part.moving for part in drive.partitions):
                return t("The journal on {drive} is unreadable.", drive=drive.path)
        case ("resume",):
            if not any(kind_of(run) is RunKind.MOVE for run in list_runs()):
                return t("The run's folder is not on this computer.")
        case ("keep" | "undo" | "status", run):
            find_run(run)
        case _:
            assert words == ("status",), words
    return None


def _partition(drive: Drive, device: str) -> Partition:
    part = drive.partition(device)
    assert part is not None, device
    return part
