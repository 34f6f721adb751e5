"""Functions for jobs inside a guest: drives by serial number, output of tools, and the check that this is
a guest."""

import fcntl
import json
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from time import monotonic, sleep

from tests.fingerprint import fingerprint
from tests.lab.drives.fleet import MIB, EmulatedDrive, ModuleDrive
from wizard.apply.block.devices import forget_caches
from wizard.apply.plan.job import why_direct
from wizard.apply.run.journal import follow, read_entries
from wizard.apply.run.runs import runs_folder
from wizard.plan.plan import Plan
from wizard.plan.text import WORD, needs_word
from wizard.process.program import Result, find, run

FSTAB = Path("/etc/fstab")
SHARED = Path("/lab")
"""What outlives the guest."""
STAND_INS = Path("/run/stand-ins")
"""Where scripts lie that stand in for programs, first in the guest's path."""
TOKEN = "diskwright.lab"
"""On the kernel's command line of every guest, and of nothing else."""
DIES = "kill -9 $PPID; exit 1"
STOPS = "touch $(ls -td /var/lib/diskwright/runs/*/ | head -n 1)/stop; exit"
FAILS = "exit 1"
"""What follows a program that something is `standing_in` for: the run dies, is asked to stop, or is told that
it failed."""
SLOW = 180.0
"""Time limit of a command in seconds: everything is emulated, and the paced drive takes fifty requests a
second."""


def assert_guest() -> None:
    """Refuse to run outside a guest, since jobs write to drives."""
    assert TOKEN in Path("/proc/cmdline").read_text().split(), "The lab's jobs run in a guest only."
    assert os.path.ismount(SHARED), f"{SHARED} is not the lab's shared folder."


def node_of(drive: EmulatedDrive, seconds: float = 20.0) -> str:
    """Return the kernel's node of an emulated drive by its serial number in sysfs. Waits for the kernel to
    find it."""
    limit = monotonic() + seconds
    while True:
        for entry in sorted(Path("/sys/block").iterdir()):
            if drive.serial in _serial_in(entry):
                return f"/dev/{entry.name}"
        assert monotonic() < limit, f"The guest has no drive with the serial {drive.serial}."
        sleep(0.1)


@contextmanager
def loaded(drive: ModuleDrive, seconds: float = 20.0) -> Iterator[str]:
    """Load a kernel module, and yield the node of its drive. Unloads the module afterwards."""
    blocks = Path("/sys/block")
    before = set(blocks.iterdir())
    tool("modprobe", drive.module, *drive.parameters)
    try:
        limit = monotonic() + seconds
        while not (new := sorted(set(blocks.iterdir()) - before)):
            assert monotonic() < limit, f"{drive.module} made no drive."
            sleep(0.1)
        yield f"/dev/{new[0].name}"
    finally:
        _unload(drive.module, seconds)


def _unload(module: str, seconds: float) -> None:
    """Unload a module. Retries for a while: udev reads a drive after each close, and a module in use
    stays."""
    limit = monotonic() + seconds
    while run(
        ["modprobe", "-r", module], seconds=SLOW, accept=(0,) if monotonic() > limit else (0, 1)
    ).status:
        sleep(0.1)


def _serial_in(entry: Path) -> str:
    """Return the serial number: virtio and NVMe have an attribute, SCSI and SATA drives page 80h after a
    header of four bytes, and USB drives the name of their bridge, some folders up."""
    bridges = [folder / "serial" for folder in entry.resolve().parents if (folder / "idVendor").exists()]
    for attribute, header in (
        (entry / "serial", 0),
        *((bridge, 0) for bridge in bridges[:1]),
        (entry / "device/vpd_pg80", 4),
    ):
        with suppress(OSError):
            return attribute.read_bytes()[header:].decode(errors="replace")
    with suppress(OSError):
        return (entry / "device/serial").read_text(errors="replace")
    return ""


def sysfs(path: str, attribute: str) -> str:
    """Return a sysfs attribute of a block device, such as `alignment_offset` of /dev/sda1."""
    return Path("/sys/class/block", Path(path).name, attribute).read_text().strip()


def udev_runs() -> bool:
    """Return True if udevd runs in this guest."""
    return Path("/run/udev/control").exists()


def tool(*argv: str, accept: Sequence[int] = (0,)) -> str:
    """Return the output of a tool."""
    return run(argv, seconds=SLOW, accept=accept).output


def confirmed(plan: Plan) -> tuple[str, ...]:
    """Return `confirmed_by` as options of a command."""
    return tuple(f"--confirm={word}" for word in confirmed_by(plan))


def diskwright(*words: str, accept: Sequence[int] = (0,), seconds: float = SLOW) -> Result:
    """Run a diskwright command. Exit codes not in `accept` fail the job with its output."""
    from tests.lab.guest.commands import carried_out  # Most jobs do without.

    result = carried_out(words, seconds)
    assert result.status in accept, (
        f"diskwright {' '.join(words)} ended with {result.status}: {result.errors}{result.output}"
    )
    return result


def told(*words: str) -> tuple[int, str]:
    """Return exit code and output of a diskwright command. Runs in this process, which saves the start."""
    from wizard.cli.main import main  # Most jobs do without.

    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main(words)
    return status, said.getvalue()


def cut_power() -> None:
    """Cut the power at once, without notice to any drive. Checks so far count."""
    (SHARED / "status").write_text("0\n")
    Path("/proc/sysrq-trigger").write_text("b")
    sleep(SLOW)
    raise AssertionError("The power does not go.")


@contextmanager
def standing_in(program: str, word: str, then: str, first: str = ":") -> Iterator[None]:
    """Replace a program: when called with that word, it works between the shell commands `first` and
    `then`."""
    STAND_INS.mkdir(exist_ok=True)
    if str(STAND_INS) not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = f"{STAND_INS}:{os.environ['PATH']}"
    script, real = STAND_INS / program, find(program)
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" {word} "*) {first}; {real} "$@"; {then};; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    try:
        yield
    finally:
        script.unlink()


@contextmanager
def without_loops() -> Iterator[None]:
    """Hide loop devices, so that new runs work directly on their drives."""
    tool("modprobe", "loop")
    control = Path("/dev/loop-control")
    hidden = control.rename("/dev/loop-control.hidden")
    try:
        yield
    finally:
        hidden.rename(control)


def followed(newest: Path) -> Path:
    """Return the run after its end."""
    for _ in follow(newest):
        pass
    return newest


def story(newest: Path) -> str:
    """Return the last output of a run and its process."""
    lines = [
        f"{entry.event} {entry.step} {' '.join(entry.command)} {entry.sentence} {entry.output}"
        for entry in read_entries(newest)[-20:]
    ]
    log = newest / "process.log"
    return "\n".join([*lines, log.read_text()[-2000:] if log.exists() else ""])


def digest_of(node: str) -> str:
    """Return the digest of a device's whole content, bypassing caches."""
    forget_caches(node)
    return fingerprint(Path(node))


def digests(nodes: Sequence[str]) -> list[str]:
    """Return the digest of the whole content of each device."""
    return [digest_of(node) for node in nodes]


BLKZEROOUT = 0x127F
"""From linux/fs.h."""
LARGEST_EMPTIED_BYTES = 4096 * MIB


def empty(node: str) -> None:
    """Remove traces of earlier cases: the table, its partitions in the kernel, and old filesystems at the
    start of an array's data, which would stop a resumed run."""
    tool("wipefs", "--all", "--quiet", node)
    run(["partx", "--delete", node], seconds=SLOW, accept=range(256))
    with Path(node).open("r+b") as device:
        # A drive counts as empty only if a sample of all of it is zeros, too.
        size = min(device.seek(0, os.SEEK_END), LARGEST_EMPTIED_BYTES)
        fcntl.ioctl(device, BLKZEROOUT, struct.pack("=QQ", 0, size))


def forget_in_fstab(*words: str) -> None:
    """Remove lines with any of these words."""
    lines = FSTAB.read_text().splitlines(keepends=True)
    FSTAB.write_text("".join(line for line in lines if not any(word in line for word in words)))


def keep_runs_at(place: Path) -> None:
    """Store runs in a folder there. The guest's root is in memory, so a journal there does not survive.
    Other installed files stay visible."""
    kept = place / "runs"
    for folder in (kept, runs_folder()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    tool("mount", "--bind", str(kept), str(runs_folder()))


def shown(value: object) -> str:
    """Format a value for a check's `seen`."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def confirmed_by(plan: Plan) -> tuple[str, ...]:
    """Return the confirmation of a plan: its drives' tokens, and the word if undo is impossible."""
    direct = why_direct(plan, runs_folder())
    return (*plan.tokens, WORD) if needs_word(plan, direct) else plan.tokens
