"""Public interface of the probe: read the machine, and the drives in parallel, killable processes."""

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from wizard.documents import codec
from wizard.documents.files import read_file, write_file
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine, Obstacle
from wizard.model.said import Sentence, t
from wizard.probe.facts import SCHEMA, RawDrive, RawError, RawMachine
from wizard.probe.host import sysfs
from wizard.probe.host.system import read_machine
from wizard.probe.interpret import drive_of, machine_of
from wizard.probe.pool import SERVER, borrowed
from wizard.process.program import remember

NO_DRIVE = Sentence("The kernel has no drive for {path}; `diskwright inspect` lists the drives.")

OnDrive = Callable[[Machine], None]


def probe_machine(
    paths: Sequence[str] | None = None,
    *,
    seconds: float = 10.0,
    on_drive: OnDrive | None = None,
) -> Machine:
    """Return the machine with the drives at `paths`, by default all with a medium. `on_drive` is called with
    the machine and one drive as soon as it is read. A drive that does not answer within `seconds` has the
    reason in `unread`. Raises BadInput if a path is not a whole drive."""
    return machine_of(survey(paths, seconds=seconds, on_drive=on_drive))


def with_others(machine: Machine) -> Machine:
    """Add the other drives as `unprobed`, if a volume is on several devices."""
    if not any(mark.is_shared for drive in machine.drives for _, mark in drive.marks):
        return machine
    read = {drive.path for drive in machine.drives}
    others = [path for path in list_drive_paths() if path not in read]
    return replace(machine, unprobed=probe_machine(others).drives)


def probe_drive(path: str, *, seconds: float = 10.0) -> Drive:
    """Read one drive. Raises BadInput if `path` is not a whole drive."""
    return probe_machine([path], seconds=seconds).drives[0]


def list_drive_paths(all_devices: bool = False) -> tuple[str, ...]:
    """Return the nodes of the drives, from sysfs only."""
    return tuple(sysfs.node_of(name) for name in sysfs.drive_names(all_devices=all_devices))


def survey(
    paths: Sequence[str] | None = None,
    *,
    seconds: float = 10.0,
    all_devices: bool = False,
    on_drive: OnDrive | None = None,
    server: tuple[str, ...] = SERVER,
) -> RawMachine:
    """Return what `probe_machine` interprets. `server`: command of the probe server."""
    listed = sysfs.drive_names(all_devices=all_devices) if paths is None else map(drive_name, paths)
    names = list(dict.fromkeys(listed))
    with borrowed(server) as pool:
        answers = pool.probe(names, seconds) if names else ()
        machine = read_machine()
        around = machine_of(machine) if on_drive else None
        drives: dict[str, RawDrive] = {}
        for facts in answers:
            name = str(facts.get("name"))
            invalid = RawError("drive", t("The drive's probe returned invalid data."), Obstacle.FAILED)
            raw = RawDrive(name, sysfs.node_of(name), errors=(invalid,))
            with suppress(BadInput):
                raw = codec.from_json(facts, RawDrive, name)
            if paths is None and not all_devices and not raw.medium:
                continue
            drives[raw.name] = raw
            if on_drive and around:
                on_drive(replace(around, drives=(drive_of(raw, machine),)))
    return remember(replace(machine, drives=tuple(drives[name] for name in names if name in drives)))


def drive_name(path: str) -> str:
    """Return the sysfs name of the whole drive at `path`, following links. Raises BadInput."""
    if not path:
        raise BadInput(t("No device specified; `diskwright inspect` lists the drives."))
    try:
        node = Path(path).resolve(strict=True)
        status = node.stat()
        mode, number = status.st_mode, status.st_rdev
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise BadInput(t("Cannot access {path}: {why}.", path=path, why=str(error.strerror))) from None
        raise BadInput(
            t("Device {path} does not exist; `diskwright inspect` lists the drives.", path=path)
        ) from None
    if not stat.S_ISBLK(mode):
        raise BadInput(
            t(
                "{path} is not a block device. Specify a drive, such as /dev/sda; `diskwright inspect` "
                "lists the drives.",
                path=path,
            )
        )
    name = sysfs.name_of(str(node))
    folder = sysfs.folder_of(name)
    if (folder / "partition").exists():
        if whole := drive_under(path):
            raise BadInput(
                t(
                    "{path} is a partition of {drive}; specify the whole drive {drive}.",
                    path=path,
                    drive=whole,
                )
            )
        raise BadInput(NO_DRIVE(path=path))
    if not folder.exists():
        raise BadInput(NO_DRIVE(path=path))
    if sysfs.text(folder / "dev") != f"{os.major(number)}:{os.minor(number)}":
        raise BadInput(
            t(
                "Device node {path} is stale and refers to a device other than {drive}. "
                "Remove the node and let the system recreate it.",
                path=path,
                drive=name,
            )
        )
    return name


def drive_under(path: str) -> str:
    """Return the drive that contains the partition at `path`, following links, or empty."""
    with suppress(OSError, RuntimeError, ValueError):
        folder = sysfs.folder_of(str(Path(path).resolve(strict=True)))
        if (folder / "partition").exists() and (there := sysfs.target(folder)) is not None:
            return sysfs.node_of(there.parent.name)
    return ""


def save_machine(path: Path, facts: RawMachine) -> Machine:
    """Write raw facts, and return their machine. Raises BadInput for devices and
    other special files, Failed."""
    write_file(path, codec.render_document(SCHEMA, facts), str(t("The facts")))
    return machine_of(facts)


INPUT = Path("-")
"""The path that means standard input."""


def load_facts(path: Path) -> RawMachine:
    """Load raw facts from a file, or standard input for `-`. Raises BadInput."""
    shown = str(t("The input")) if path == INPUT else str(path)
    try:
        text = read_file(Path("/dev/stdin") if path == INPUT else path)
    except FileNotFoundError:
        raise BadInput(
            t("File {file} does not exist; `diskwright inspect --save {file}` creates it.", file=shown)
        ) from None
    return remember(codec.parse_document(text, SCHEMA, RawMachine, shown))


def recorded_drive(machine: Machine, device: str) -> Drive:
    """Return a drive of a recorded machine. Raises BadInput."""
    if drive := machine.drive(device):
        return drive
    known = tuple(drive.path for drive in machine.drives) or ("-",)
    raise BadInput(t("Drive {drive} is not among the known drives: {known:list}.", drive=device, known=known))


def with_only(machine: Machine, devices: Sequence[str]) -> Machine:
    """Return the machine with only these drives, each once. Raises BadInput."""
    return replace(machine, drives=tuple(dict.fromkeys(recorded_drive(machine, one) for one in devices)))


def load_machine(path: Path) -> Machine:
    """Load a machine from a file of raw facts. Raises BadInput."""
    return machine_of(load_facts(path))


def machine_and_drives(devices: Sequence[str], recorded: str | None) -> tuple[Machine, tuple[Drive, ...]]:
    """Return the machine and the drives, in order, probed or `recorded`. Raises BadInput if one is missing or
    listed twice."""
    if recorded is None:
        machine = with_others(probe_machine(devices))
        if len(machine.drives) != len(devices):
            raise BadInput(t("A drive is listed twice."))
        return machine, machine.drives
    machine = load_machine(Path(recorded))
    return machine, tuple(recorded_drive(machine, device) for device in devices)
