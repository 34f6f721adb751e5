"""What the jobs need inside a guest: its drives by serial, tools' output, and the proof that this is a guest
at all."""

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
from wizard.apply.plan.start import why_direct
from wizard.apply.run.journal import follow, read_entries
from wizard.apply.run.runs import runs_folder
from wizard.model.plan import Plan
from wizard.plan.undo_policy import WORD, wants_word
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
    """Refuse to run anywhere but in a guest: the jobs write to drives."""
    assert TOKEN in Path("/proc/cmdline").read_text().split(), "The lab's jobs run in a guest only."
    assert os.path.ismount(SHARED), f"{SHARED} is not the lab's shared folder."


def node_of(drive: EmulatedDrive, seconds: float = 20.0) -> str:
    """The kernel's node of an emulated drive, found by its serial in sysfs; waits for the kernel to find it
    first."""
    limit = monotonic() + seconds
    while True:
        for entry in sorted(Path("/sys/block").iterdir()):
            if drive.serial in _serial_in(entry):
                return f"/dev/{entry.name}"
        assert monotonic() < limit, f"The guest has no drive with the serial {drive.serial}."
        sleep(0.1)


@contextmanager
def loaded(drive: ModuleDrive, seconds: float = 20.0) -> Iterator[str]:
    """The node of a drive that a kernel module makes, for as long as the module is loaded."""
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
    """Tried again for a while: udev looks into a drive whenever one has closed it, and a module in use
    stays."""
    limit = monotonic() + seconds
    while run(
        ["modprobe", "-r", module], seconds=SLOW, accept=(0,) if monotonic() > limit else (0, 1)
    ).status:
        sleep(0.1)


def _serial_in(entry: Path) -> str:
    """virtio and NVMe have an attribute; SCSI and SATA drives page 80h, the serial behind a header of four
    bytes; USB drives only what their bridge is called, some folders up."""
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
    """An attribute of a block device, such as `alignment_offset` of /dev/sda1."""
    return Path("/sys/class/block", Path(path).name, attribute).read_text().strip()


def udev_runs() -> bool:
    """Whether udevd listens in this guest."""
    return Path("/run/udev/control").exists()


def tool(*argv: str, accept: Sequence[int] = (0,)) -> str:
    """What a tool printed."""
    return run(argv, seconds=SLOW, accept=accept).output


def confirmed(plan: Plan) -> tuple[str, ...]:
    """`confirmed_by`, as options of a command."""
    return tuple(f"--confirm={word}" for word in confirmed_by(plan))


def diskwright(*words: str, accept: Sequence[int] = (0,), seconds: float = SLOW) -> Result:
    """Run the project's own command; any end that is not in `accept` fails the job with its words."""
    from tests.lab.guest.commands import carried_out  # Most jobs do without.

    result = carried_out(words, seconds)
    assert result.status in accept, (
        f"diskwright {' '.join(words)} ended with {result.status}: {result.errors}{result.output}"
    )
    return result


def told(*words: str) -> tuple[int, str]:
    """How a command of diskwright ends, and all it says. In this process, which saves its start."""
    from wizard.cli.main import main  # Most jobs do without.

    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main(words)
    return status, said.getvalue()


def cut_power() -> None:
    """At once, without a word to any drive. What was checked until now counts."""
    (SHARED / "status").write_text("0\n")
    Path("/proc/sysrq-trigger").write_text("b")
    sleep(SLOW)
    raise AssertionError("The power does not go.")


@contextmanager
def standing_in(program: str, word: str, then: str, first: str = ":") -> Iterator[None]:
    """Called with that word, the program does its work between two things that happen: `first` and `then`,
    both shell commands."""
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
    """Meanwhile the guest gives no loop devices, so that a run that is begun works on its drives directly."""
    tool("modprobe", "loop")
    control = Path("/dev/loop-control")
    hidden = control.rename("/dev/loop-control.hidden")
    try:
        yield
    finally:
        hidden.rename(control)


def followed(newest: Path) -> Path:
    """The run, when it has ended."""
    for _ in follow(newest):
        pass
    return newest


def story(newest: Path) -> str:
    """The last that a run and its process said."""
    lines = [
        f"{entry.event} {entry.step} {' '.join(entry.command)} {entry.sentence} {entry.output}"
        for entry in read_entries(newest)[-20:]
    ]
    log = newest / "process.log"
    return "\n".join([*lines, log.read_text()[-2000:] if log.exists() else ""])


def digest_of(node: str) -> str:
    """Of a device's whole content, from the device."""
    forget_caches(node)
    return fingerprint(Path(node))


def digests(nodes: Sequence[str]) -> list[str]:
    """Of the whole content of each device."""
    return [digest_of(node) for node in nodes]


BLKZEROOUT = 0x127F
"""From linux/fs.h."""
LARGEST_EMPTIED_BYTES = 4096 * MIB


def empty(node: str) -> None:
    """Nothing of an earlier case: no table, no partitions in the kernel that nothing on the drive would bring
    back, and where an array's data begin no old filesystem, for which a run that is taken up again would have
    to stop.
    """
    tool("wipefs", "--all", "--quiet", node)
    run(["partx", "--delete", node], seconds=SLOW, accept=range(256))
    with Path(node).open("r+b") as device:
        # A drive counts as empty only if a sample of all of it is zeros, too.
        size = min(device.seek(0, os.SEEK_END), LARGEST_EMPTIED_BYTES)
        fcntl.ioctl(device, BLKZEROOUT, struct.pack("=QQ", 0, size))


def forget_in_fstab(*words: str) -> None:
    """Take out the lines with any of these words."""
    lines = FSTAB.read_text().splitlines(keepends=True)
    FSTAB.write_text("".join(line for line in lines if not any(word in line for word in words)))


def keep_runs_at(place: Path) -> None:
    """Keep the runs in a folder there: the guest's own root lies in memory, which no journal outlives.
    Nothing else that is installed beside them is covered.
    """
    kept = place / "runs"
    for folder in (kept, runs_folder()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    tool("mount", "--bind", str(kept), str(runs_folder()))


def shown(value: object) -> str:
    """A value as it stands in a check's `seen`."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def confirmed_by(plan: Plan) -> tuple[str, ...]:
    """What confirms a plan here: its drives' tokens, and the word where there is no way back."""
    direct = why_direct(plan, runs_folder())
    return (*plan.tokens, WORD) if wants_word(plan, direct) else plan.tokens
