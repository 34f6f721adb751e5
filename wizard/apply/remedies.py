"""Findings that depend on this system: possible commands, and lines of fstab without nofail. Reads only.
Planners are imported when a finding needs them, for a fast start."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from wizard.advice.missing import missing
from wizard.findings.diagnose import diagnose as conclude
from wizard.findings.geometry import Pattern
from wizard.model.errors import DiskwrightError, printable
from wizard.model.finding import Diagnosis, Finding, FindingCommand, Severity
from wizard.model.machine import Drive, Machine, Partition, Use
from wizard.model.said import Message, join, t
from wizard.model.verdict import DisplacedVerdict
from wizard.plan import refusals


def diagnose(
    machine: Machine,
    drive: Drive,
    patterns: tuple[Pattern, ...],
    probed: DisplacedVerdict | None = None,
    fstab: Path | None = None,
) -> Diagnosis:
    """Return the conclusions about a drive. A finding keeps the commands that are possible now, or explains
    why none is. `probed` is the verdict of the quick probe for shingled recording; `fstab` the file of this
    system, None for a recording."""
    found = conclude(machine, drive, patterns, probed)
    lines = tuple(_boot_findings(drive, fstab)) if fstab else ()
    found = replace(found, findings=(*lines, *found.findings))

    def checked(finding: Finding) -> Finding:
        reasons = [_why_not(machine, drive, command, patterns) for command in finding.commands]
        possible = tuple(one for one, reason in zip(finding.commands, reasons, strict=True) if reason is None)
        if possible or not reasons:
            return replace(finding, commands=possible)
        remedy = t("{remedy} Not possible here: {why}", remedy=finding.remedy, why=reasons[-1] or "")
        return replace(finding, remedy=remedy, commands=())

    return replace(found, findings=tuple(map(checked, found.findings)))


def _boot_findings(drive: Drive, fstab: Path) -> Iterator[Finding]:
    """Yield lines of fstab with which a boot may stop if this removable drive is missing."""
    if not drive.is_often_unplugged or drive.runs_system:
        return
    from wizard.apply.settings import existing_filesystem

    for device in drive.nodes:
        changed = existing_filesystem.options_at_boot(drive, device, fstab)
        for line in existing_filesystem.lines_at_boot(drive, device, fstab):
            if line.may_stop:
                add = FindingCommand(("diskwright", "remount", device, ",".join((*line.options, "nofail"))))
                found = t(
                    "Line {line} of {file} names {device} on a removable drive without nofail.",
                    line=line.number,
                    file=fstab,
                    device=device,
                )
                yield _stops(device, found, (add,) if line.options == changed else ())


def absent_at_boot(machine: Machine, fstab: Path) -> Iterator[Finding]:
    """Yield lines of fstab for devices that are not attached, with which the next boot may stop. `machine`
    has all drives. Mapped devices may only be closed."""
    if not machine.root or machine.unprobed:
        return
    from wizard.apply.settings import existing_filesystem
    from wizard.apply.system.fstab import tags_of

    unread = tuple(drive.path for drive in machine.drives if refusals.unread_content(drive))
    devices = [
        (device, tags_of(drive.signatures_on(device), drive.partition(device)))
        for drive in machine.drives
        for device in drive.nodes
    ]
    devices += [
        (layer.path, tags_of(layer.signatures, None)) for drive in machine.drives for layer in drive.layers
    ]
    for line in existing_filesystem.readable_lines(fstab):
        is_device = line.path.startswith("/dev/") and not line.path.startswith("/dev/mapper/")
        is_there = Path(line.path).exists() or any(line.means(*one) for one in devices)
        if line.may_stop and is_device and not is_there:
            found = t(
                "Line {line} of {file} names {source}, which was not found.",
                line=line.number,
                file=fstab,
                source=line.source,
            )
            if unread:
                found = join(found, t("{drives:list} could not be read.", drives=unread))
            add: tuple[FindingCommand, ...] = ()
            if line.options and PLAIN_SOURCE.fullmatch(line.source):
                # Keeps the old file, and changes nothing if the line has moved.
                script = rf"{line.number}s|^{line.source}(\s+\S+){{3}}|&,nofail|"
                add = (FindingCommand(("sed", "-i.old", "-E", script, str(fstab))),)
            yield _stops(printable(line.source, 80), found, add)


PLAIN_SOURCE = re.compile(r"[A-Za-z0-9_=:./-]+")
"""Sources of fstab that need no quoting."""


def _stops(subject: str, found: Message, commands: tuple[FindingCommand, ...]) -> Finding:
    return Finding(
        "boot-may-stop",
        Severity.WARNING,
        subject,
        found,
        t("Without nofail, the boot may stop if the device is missing."),
        t("fstab, and systemd.mount(5)"),
        t("Add nofail to the line."),
        commands,
    )


def _why_not(
    machine: Machine, drive: Drive, command: FindingCommand, patterns: tuple[Pattern, ...]
) -> Message | str | None:
    program = command.argv[0]
    if program == "diskwright":
        try:
            return _refuse(machine, drive, command.argv[1:], patterns) or None
        except DiskwrightError as refusal:
            return str(refusal)
    if program != "sh" and not machine.has_tool(program):
        return missing((program,), machine.family).said
    use = next(iter(_uses(drive, command.unused)), None) if command.unused else None
    return refusals.IN_USE(drive=command.unused, how=refusals.in_use(use)) if use else None


def _uses(drive: Drive, device: str) -> Sequence[Use]:
    """Return the uses of a drive, a partition or a layer, with the layers on it."""
    if device == drive.path or drive.partition(device):
        return refusals.uses_of(drive, device)
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
            from wizard.plan.partition.move_target import planned_move

            planned_move(machine, drive, _partition(drive, device))
        case ("plan" | "grow", *_):
            return _refuse_table(machine, drive, words)
        case ("release", _):
            from wizard.plan.settings.release import plan_release

            plan_release(machine, drive, has_all=not machine.unprobed)
        case ("bench", _, "--scratch", "--shingled", "--quick"):
            from wizard.benchmark.smr_probe import quick_test_obstacle

            return quick_test_obstacle(drive, patterns)
        case ("bench", *_) | ("advise", *_):
            refusals.measured(drive)
        case ("new-uuid", device):
            from wizard.plan.settings.possible import why_not_relabel

            return why_not_relabel(drive, device, uuid=True)
        case ("remount", device, _):
            from wizard.plan.settings.possible import why_not_remount

            return why_not_remount(drive, device, has_line=True)
        case _:
            return _refuse_run(drive, words)
    return None


def _refuse_table(machine: Machine, drive: Drive, words: tuple[str, ...]) -> Message | str | None:
    match words:
        case ("plan", device, "--grow", *_) | ("plan", device, "--grow-to", *_):
            from wizard.plan.planner import make_plan
            from wizard.plan.request.plan_request import ResizePart

            size_bytes = int(words[3]) if words[3:] else None
            make_plan(machine, (drive,), ResizePart(_partition(drive, device), size_bytes))
            return None
        case ("grow", device):
            from wizard.apply.settings.system import has_capability
            from wizard.operations.filesystem import NO_GROWING, SYS_RESOURCE
            from wizard.plan.partition.possible import why_not_grow_mounted

            part = _partition(drive, device)
            is_ext = (part.filesystem or "").startswith("ext")
            # Others than root ask root first.
            is_refused = is_ext and os.geteuid() == 0 and not has_capability(SYS_RESOURCE)
            return why_not_grow_mounted(drive, part) or (NO_GROWING if is_refused else None)
        case _:
            from wizard.plan.partition.restore import lost_layout

            lost_layout(drive)
            return None


def _refuse_run(drive: Drive, words: tuple[str, ...]) -> Message | None:
    match words:
        case ("keep" | "resume", "--from-drive", _):
            if not drive.waiting and not any(part.moving for part in drive.partitions):
                return t("The journal on {drive} is unreadable.", drive=drive.path)
        case ("resume",):
            from wizard.apply.run import kinds

            if not kinds.MOVE.found():
                return t("The run's folder is not on this computer.")
        case ("keep" | "undo" | "status", run):
            from wizard.apply.run.runs import find_run

            find_run(run)
        case _:
            assert words == ("status",), words
    return None


def _partition(drive: Drive, device: str) -> Partition:
    part = drive.partition(device)
    assert part is not None, device
    return part
