"""Boot guests: QEMU with a fleet, this machine's root read-only, and a shared folder for input and output."""

import fcntl
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from time import monotonic, sleep
from types import FrameType

from tests.daily import DAY_VARIABLE, FULL_VARIABLE
from tests.lab.drives.attach import Node, file_node, fleet_arguments, image_bytes, logged_node
from tests.lab.drives.fleet import Fleet, TimingModel
from tests.lab.drives.identify import poke
from tests.lab.drives.timing import serve
from tests.lab.guest.distribution import GuestSystem, guest_system
from tests.lab.guest.initramfs import write_initramfs
from tests.lab.guest.monitor import ANSWER, REQUEST, Monitor, break_health, run_state, served
from tests.lab.trouble import CannotRun, GuestTrouble
from wizard.probe.content.unmarked import POSSIBLE_STARTS, sampled
from wizard.process.program import find

QEMU = "qemu-system-x86_64"
CHECKOUT = Path(__file__).resolve().parents[3]
START = Path(__file__).with_name("start.sh")
COMMAND_LINE = (
    "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off random.trust_cpu=on audit=0 "
    "nvme_core.io_timeout=180 diskwright.lab"
)
ACCELERATOR = "tcg,tb-size=512"
"""Emulation, always: KVM may be there and hang, and the figures shall be the same everywhere. With two
processors a guest waits for locks whose holder this machine has put aside, and starts in minutes where it has
other work; with one it does not."""
MEMORY_MIB = 1024
SCRATCH = Path("/var/tmp")
"""On a disk: the images are opened past the page cache, which filesystems in memory refuse."""
PREFIX = "diskwright-lab-"
SOCKET = "qmp"
HOLD, HERE = "hold", "here"
"""Files in the shared folder: the first keeps the guest waiting, by the second it says that it does."""
START_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class GuestResult:
    """Result of a job in a guest. `output`: stdout, `errors`: stderr, `console`: output of the serial
    line."""

    status: int
    output: str
    errors: str
    console: str
    seconds: float


class Laboratory:
    """Images of a fleet, which survive reboots, and the means to boot guests with them. Created by
    `laboratory`."""

    def __init__(
        self,
        system: GuestSystem,
        folder: Path,
        fleet: Fleet,
        images: dict[str, BufferedRandom],
        nodes: Mapping[str, Node],
    ) -> None:
        self.fleet = fleet
        self.shared = folder / "shared"
        self._system = system
        self._folder = folder
        # The images have no name; QEMU opens them through this process, and they vanish with it however it
        # ends.
        self._files = images
        self._nodes = nodes

    def fill(self, pattern: bytes) -> None:
        """Fill every drive with the pattern, since a benchmark could only harm drives with data."""
        for drive in self.fleet.drives:
            file = self._files[drive.name]
            file.seek(0)
            for _ in range(drive.size_bytes // len(pattern)):
                file.write(pattern)
            file.flush()

    def fill_free(self, pattern: bytes) -> None:
        """Fill every drive with the pattern, except where diskwright looks for unrecognised data. So the
        drives count as empty, and lost bytes are noticed nevertheless."""
        self.fill(pattern)
        for drive in self.fleet.drives:
            file = self._files[drive.name]
            for start, size in sampled(0, drive.size_bytes, POSSIBLE_STARTS):
                file.seek(start)
                file.write(bytes(size))
            file.flush()

    def image(self, name: str) -> Path:
        """Return a drive's whole content as a file. No guest may be running."""
        return _path_of(self._files[name])

    def digests(self) -> dict[str, str]:
        """Return a digest of each drive's whole content. No guest may be running."""
        found = {}
        for name, file in self._files.items():
            file.seek(0)
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
        return found

    def boot(
        self, job: list[str], *, seconds: float, udev: bool = False, screen: bool = False
    ) -> GuestResult:
        """Boot, run `job` (an argument list) as root in the checkout, and power off. Raises GuestTrouble on
        failure.

        `screen`: with a graphics adapter in text mode, which takes some seconds more.
        """
        for left in ("status", "output", "errors", HERE, REQUEST, ANSWER):
            (self.shared / left).unlink(missing_ok=True)
        self._write_start(job, udev=udev, prompt=False)
        begun = monotonic()
        said = self._run(
            [*self._boot_arguments(screen=screen), "-serial", f"file:{self._folder / 'console'}"], seconds
        )
        heard = self._heard()
        try:
            status = int((self.shared / "status").read_text())
        except (OSError, ValueError):
            raise GuestTrouble(
                f"The guest ended without a word. QEMU: {said or 'nothing'}. Console:\n{heard[-3000:]}"
            ) from None
        output, errors = ((self.shared / name).read_text(errors="replace") for name in ("output", "errors"))
        return GuestResult(status, output, errors, heard, monotonic() - begun)

    def shell(self, *, udev: bool = False) -> None:
        """Boot with a prompt on this terminal until the user leaves."""
        self._write_start([], udev=udev, prompt=True)
        self._run(
            [*self._boot_arguments(), "-chardev", "stdio,id=person,signal=off", "-serial", "chardev:person"],
            None,
        )

    def _write_start(self, job: list[str], *, udev: bool, prompt: bool) -> None:
        settings = [
            f"UDEV={int(udev)}",
            f"CHECKOUT={shlex.quote(str(CHECKOUT))}",
            f"SHELL_WANTED={int(prompt)}",
            f"run_job() {{ {shlex.join(job or ['true'])}; }}",
        ]
        settings += [
            f"export {name}={shlex.quote(os.environ[name])}"
            for name in (DAY_VARIABLE, FULL_VARIABLE)
            if name in os.environ
        ]
        if sys.pycache_prefix:
            settings.append(f"export PYTHONPYCACHEPREFIX={shlex.quote(sys.pycache_prefix)}")
        (self.shared / "start.sh").write_text("\n".join(settings) + "\n" + START.read_text())

    def _run(self, line: list[str], seconds: float | None) -> str:
        """Run QEMU to its end and return its error output. It ends with this process, and after `seconds`."""
        interactive = seconds is None
        hold = self.shared / HOLD
        hold.touch()
        (self._folder / SOCKET).unlink(missing_ok=True)
        with subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *self._arguments(), *line],
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=None if interactive else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=not interactive,
        ) as qemu:
            try:
                limit = None if seconds is None else monotonic() + seconds
                self._make_ready(qemu, hold)
                with served(self._folder / SOCKET, self.fleet, self.shared):
                    _, said = qemu.communicate(timeout=limit and limit - monotonic())
            except subprocess.TimeoutExpired:
                state = run_state(self._folder / SOCKET)
                qemu.kill()
                qemu.communicate()
                raise GuestTrouble(
                    f"The guest was not done after {seconds:.0f} s and was ended; QEMU calls it {state}. "
                    f"Console:\n{self._heard()[-3000:]}{self._partial()}"
                ) from None
            finally:
                qemu.kill()
        return said.decode(errors="replace").strip()

    def _make_ready(self, qemu: subprocess.Popen[bytes], hold: Path) -> None:
        """While the guest waits before loading its drivers, prepare what QEMU's command line cannot
        express."""
        limit = monotonic() + START_SECONDS
        while not (self.shared / HERE).exists():
            if qemu.poll() is not None:
                return
            if monotonic() > limit:
                raise GuestTrouble(
                    f"The guest did not start within {START_SECONDS:.0f} s. Console:\n{self._heard()[-3000:]}"
                )
            sleep(0.05)
        for drive in self.fleet.drives:
            if drive.identify and drive.model is not None:
                poke(qemu.pid, drive.model, drive.identify, START_SECONDS)
        if any(drive.failing for drive in self.fleet.drives):
            with Monitor(self._folder / SOCKET) as monitor:
                break_health(monitor, self.fleet)
        (self.shared / HERE).unlink()
        hold.unlink()

    def _heard(self) -> str:
        console = self._folder / "console"
        return console.read_text(errors="replace") if console.exists() else ""

    def _partial(self) -> str:
        """Return the job's output when the guest was ended."""
        parts = [(self.shared / name) for name in ("output", "errors")]
        return "".join(
            f"\n{part.name}:\n{part.read_text(errors='replace')[-3000:]}" for part in parts if part.exists()
        )

    def _arguments(self) -> list[str]:
        return [
            *(QEMU, "-M", "q35", "-cpu", "max", "-m", str(MEMORY_MIB), "-accel", ACCELERATOR),
            *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-rtc", "base=utc"),
            *_shared_folder("root", Path("/"), read_only=True),
            *_shared_folder("layer", self._system.layer, read_only=True),
            *_shared_folder("lab", self.shared, read_only=False),
            *("-qmp", f"unix:{self._folder / SOCKET},server=on,wait=off"),
            *fleet_arguments(self.fleet, self._nodes),
        ]

    def _boot_arguments(self, *, screen: bool = False) -> list[str]:
        kernel = self._system.packed if screen else self._system.kernel
        shown = ["-device", "VGA"] if screen else []
        return [
            "-kernel",
            str(kernel),
            "-initrd",
            str(self._folder / "initramfs"),
            "-append",
            COMMAND_LINE,
            *shown,
        ]


@contextmanager
def laboratory(fleet: Fleet) -> Iterator[Laboratory]:
    """Yield a laboratory with new, empty drives, and remove it afterwards. Raises CannotRun if impossible."""
    _refuse_where_it_cannot_run()
    system = guest_system()
    with ExitStack() as stack:
        with _nobody_sweeps():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX, dir=SCRATCH)))
            stack.callback(os.close, _lock(folder))
        (folder / "shared").mkdir()
        write_initramfs(system, fleet.drivers, folder / "initramfs")
        images: dict[str, BufferedRandom] = {}
        nodes: dict[str, Node] = {}
        for drive in fleet.drives:
            images[drive.name] = stack.enter_context(tempfile.TemporaryFile(dir=SCRATCH))
            images[drive.name].truncate(image_bytes(drive))
            image = str(_path_of(images[drive.name]))
            if isinstance(drive.media, TimingModel):
                nodes[drive.name] = serve(stack, image, folder, drive.name, drive.size_bytes, drive.media)
            else:
                nodes[drive.name] = file_node(drive, image)
            if drive.logged:
                images[log_of(drive.name)] = stack.enter_context(tempfile.TemporaryFile(dir=SCRATCH))
                nodes[drive.name] = logged_node(nodes[drive.name], str(_path_of(images[log_of(drive.name)])))
        yield Laboratory(system, folder, fleet, images, nodes)


def log_of(name: str) -> str:
    """Return the image name of a logged drive's log. Each guest starts with an empty one."""
    return f"{name}.log"


def _path_of(file: BufferedRandom) -> Path:
    """Where other processes find an open file of this one that has no name."""
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")


def _lock(folder: Path) -> int:
    """A descriptor that marks the folder as in use for as long as this process lives; raises BlockingIOError
    where another has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _nobody_sweeps() -> Iterator[None]:
    """A new folder without a lock looks like one from a killed laboratory."""
    descriptor = os.open(SCRATCH, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sweep() -> None:
    """Delete what laboratories left behind that were killed without a chance to do it themselves."""
    with _nobody_sweeps():
        for folder in SCRATCH.glob(f"{PREFIX}*"):
            with suppress(OSError):
                descriptor = _lock(folder)
                shutil.rmtree(folder)
                os.close(descriptor)


def ended_by_signals() -> None:
    """Let a closed terminal or a polite kill end this process through its `with` blocks, as Ctrl+C does. Once
    is enough: what cleans up is not disturbed again."""
    polite = (signal.SIGTERM, signal.SIGHUP)

    def end(caught: int, _frame: FrameType | None) -> None:
        for number in polite:
            signal.signal(number, signal.SIG_IGN)
        sys.exit(128 + caught)

    for number in polite:
        signal.signal(number, end)


def make_sure_it_can_run() -> None:
    """Once, before laboratories are opened side by side: raises CannotRun, fetches the guest's system, and
    deletes what was left behind."""
    _refuse_where_it_cannot_run()
    guest_system()
    sweep()


def at_once_here() -> int:
    """How many guests this machine can bear at a time: each has one processor, and its memory."""
    available = re.search(r"^MemAvailable: *(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    room = int(available[1]) // (2 * MEMORY_MIB * 1024) if available else 1
    return max(1, min(len(os.sched_getaffinity(0)), room))


def _refuse_where_it_cannot_run() -> None:
    if os.uname().machine != "x86_64":
        raise CannotRun(f"The lab emulates x86_64 drives on x86_64 only; this is {os.uname().machine}.")
    if os.geteuid():
        raise CannotRun("The lab needs root: the guest reads this machine's own system.")
    for tool, package in ((QEMU, "qemu-system-x86"), ("setpriv", "util-linux")):
        if find(tool) is None:
            raise CannotRun(f"{tool} is not installed: the package is {package}.")


def _shared_folder(tag: str, folder: Path, *, read_only: bool) -> list[str]:
    options = f"local,id={tag},path={str(folder).replace(',', ',,')},security_model=none,multidevs=remap"
    return [
        "-fsdev",
        options + (",readonly=on" if read_only else ""),
        "-device",
        f"virtio-9p-pci,fsdev={tag},mount_tag={tag}",
    ]
