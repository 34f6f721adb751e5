"""`diskwright tune`: what would suit a filesystem better that exists already, as text and as differences. It writes nothing."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from textwrap import wrap

from wizard.advise.advise import advise
from wizard.advise.catalogue import load_catalogue
from wizard.advise.existing import Existing, Tuning, fstab_with, tuning_for, udev_rule
from wizard.advise.workloads import find_workload
from wizard.apply.fstab import Line, parse, read_fstab
from wizard.apply.mounts import read_mounts
from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.documents.codec import render_document, to_json
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive, Partition, Signature
from wizard.model.names import printable
from wizard.probe.machine import probe_machine
from wizard.probe.sysfs import SYS, name_of, node_of, text

SCHEMA = "diskwright.tuning/1"
WIDTH = 80
FSTAB = "/etc/fstab"
TIMER = Path("/etc/systemd/system/timers.target.wants/fstrim.timer")
SYSTEMD = Path("/run/systemd/system")

EPILOG = """examples:
    diskwright tune /dev/sdX1 --workload small-files
    diskwright tune /dev/sdX1 --workload large-media > better.diff

This command only reads. Nothing that it shows is written by it, or by any other command of diskwright yet: look it over, and do by hand
what you want of it. The differences can be given to `patch -p1 -d /` as root.
"""


def parser() -> ArgumentParser:
    """`diskwright tune DEVICE --workload ID [--fstab FILE] [--json]`."""
    made = ArgumentParser(
        "diskwright tune",
        description="Say what would suit a filesystem better that exists already, without making it anew. Nothing is written.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("device", metavar="DEVICE", help="the partition that holds it, or a whole drive without a table")
    made.add_argument("--workload", metavar="ID", required=True, help="what it is used for")
    made.add_argument("--fstab", metavar="FILE", default=FSTAB, help="the file that says what is mounted at boot (/etc/fstab)")
    made.add_argument("--json", action="store_true", help=f"print a {SCHEMA} document")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Look, and print."""
    profile = find_workload(arguments.workload)
    node, drive_node = _nodes(arguments.device)
    machine = probe_machine([drive_node])
    (drive,) = machine.drives
    part = drive.partition(node)
    signature = _signature(node, drive, part)
    fstab = read_fstab(Path(arguments.fstab))
    existing, line = _existing(node, drive, part, signature, parse(fstab, arguments.fstab))
    advice = advise(machine, drive, diagnose(machine, drive, load_patterns()).recording, profile, size_bytes=existing.size_bytes)
    choice = advice.choice(existing.filesystem)
    if choice is None:
        kind = KINDS.get(existing.filesystem)
        raise BadInput(f"{node} holds {kind.title if kind else printable(existing.filesystem, 30)}, for which nothing is advised.")
    tuning = tuning_for(existing, drive, choice, load_catalogue(), root=profile.root)
    fstab_diff = _fstab_diff(arguments.fstab, fstab, line, tuning)
    rules_diff = _rules_diff(drive, tuning)
    if arguments.json:
        body = {"existing": to_json(existing), **_tuning_json(tuning), "fstab_diff": fstab_diff, "rules_diff": rules_diff}
        sys.stdout.write(render_document(SCHEMA, body))
    else:
        title = f"{profile.workload.title}, on {node} ({KINDS[existing.filesystem].title}{_where(existing)})"
        for said in [*tuning_lines(title, existing, tuning), *fstab_diff, *rules_diff]:
            sys.stdout.write("\t".join(printable(piece, 4000) for piece in said.split("\t")) + "\n")
    return ExitCode.DONE


def _tuning_json(tuning: Tuning) -> dict[str, object]:
    body = to_json(tuning)
    return dict(body) if isinstance(body, dict) else {}


def _nodes(device: str) -> tuple[str, str]:
    """The node itself and that of its drive; raises BadInput for what is neither a partition nor a drive."""
    try:
        node = Path(device).resolve(strict=True)
    except OSError:
        raise BadInput(f"There is no device {printable(device)}; `diskwright inspect` lists the drives.") from None
    folder = SYS / "class/block" / name_of(str(node))
    if not node.is_block_device() or not folder.exists():
        raise BadInput(f"{printable(device)} is no block device; name a partition, such as /dev/sdX1.")
    if (folder / "partition").exists():
        return str(node), node_of(folder.resolve().parent.name)
    return str(node), str(node)


def _signature(node: str, drive: Drive, part: Partition | None) -> Signature:
    """What the device holds; raises BadInput where that is not one filesystem."""
    found = part.signatures if part is not None else drive.signatures
    filesystems = [signature for signature in found if signature.kind in KINDS]
    if len(found) != 1 or not filesystems:
        held = printable("+".join(signature.kind for signature in found) or "nothing that is recognised", 60)
        raise BadInput(f"{node} holds {held}: name a partition that holds one filesystem. Without root little can be read of it.")
    return filesystems[0]


def _existing(node: str, drive: Drive, part: Partition | None, signature: Signature, lines: Sequence[Line]) -> tuple[Existing, Line | None]:
    """The filesystem as it is, and its line in fstab."""
    place = next((mounted.mount_point for mounted in reversed(read_mounts()) if mounted.source == node), None)
    line = next((line for line in lines if _is_of(line, node, part, signature, place)), None)
    size = part.size_bytes if part is not None else drive.size_bytes
    ahead = text(SYS / "class/block" / name_of(drive.path) / "queue/read_ahead_kb")
    existing = Existing(
        device=node,
        filesystem=signature.kind,
        size_bytes=size,
        mount_point=place,
        at_boot=line.options if line else None,
        read_ahead_bytes=int(ahead) * 1024 if ahead and ahead.isdigit() else None,
        reserved_bytes=_reserved(place) if place and signature.kind.startswith("ext") else None,
        trims_weekly=TIMER.exists() if SYSTEMD.exists() else None,
    )
    return existing, line


def _is_of(line: Line, node: str, part: Partition | None, signature: Signature, place: str | None) -> bool:
    tag, _, value = line.source.partition("=")
    value = value.strip('"')
    known = {"UUID": signature.uuid, "LABEL": signature.label, "PARTUUID": part.part_uuid if part else None}
    if tag in known:
        return known[tag] is not None and str(known[tag]).lower() == value.lower()
    return os.path.realpath(line.source) == node or (place is not None and line.mount_point == place)


def _reserved(place: str) -> int | None:
    """What only root may fill: free blocks less those that are free for everybody."""
    try:
        told = os.statvfs(place)
    except OSError:
        return None
    return (told.f_bfree - told.f_bavail) * told.f_frsize


def _where(existing: Existing) -> str:
    return f", mounted at {printable(existing.mount_point, 200)}" if existing.mount_point else ", not mounted"


def tuning_lines(title: str, existing: Existing, tuning: Tuning, width: int = WIDTH) -> list[str]:
    """What would change, as text; the differences come behind it."""
    lines = _wrapped(title, width)
    if not tuning.changes:
        lines += _wrapped("Nothing that is known would suit it better.", width)
    else:
        lines += _wrapped("This would suit it better. Nothing of it was done, and no command of diskwright does it yet.", width)
    for change in tuning.changes:
        lines += ["", *_wrapped(f"- {change.what}", width)]
        lines += _wrapped(f"{change.why}{f' ({change.source})' if change.source else ''}", width, 2)
        lines += [f"      # {change.command}"] if change.command else []
    if existing.at_boot is None and KINDS[existing.filesystem].kernel_names:
        lines += ["", *_wrapped("It has no line in fstab, so nothing is said of its mount options.", width)]
    return [*lines, ""]


def _wrapped(said: str, width: int, indent: int = 0) -> list[str]:
    return wrap(said, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)


def _fstab_diff(path: str, old: str, line: Line | None, tuning: Tuning) -> list[str]:
    if line is None or tuning.options is None:
        return []
    return _diff(path, old, fstab_with(old, line.number, tuning.options))


def _rules_diff(drive: Drive, tuning: Tuning) -> list[str]:
    name = "".join(char if char.isalnum() or char in "-_" else "_" for char in drive.token)
    return _diff(f"/etc/udev/rules.d/60-diskwright-{name}.rules", "", udev_rule(drive, tuning.queue))


def _diff(path: str, old: str, new: str) -> list[str]:
    """A unified difference as lines, as patch(1) takes it; a file that is made anew comes from /dev/null."""
    before = f"a{path}" if old else "/dev/null"
    lines: list[str] = []
    for line in unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), before, f"b{path}"):
        lines.append(line.rstrip("\n"))
        if not line.endswith("\n"):
            lines.append("\\ No newline at end of file")
    return lines
