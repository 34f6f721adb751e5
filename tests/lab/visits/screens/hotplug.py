"""Jobs: drives unplugged and plugged in during the wizard, a benchmark, a probe or a run."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, Pace
from tests.lab.errands.visit import Visit
from tests.lab.guest.host import ask_host
from tests.lab.guest.inside import SHARED, SLOW, diskwright, node_of, shown, tool
from tests.looks.terminals.terminal import Terminal
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.run.runs import list_runs
from wizard.documents.codec import from_json, to_json
from wizard.findings.diagnose import diagnose
from wizard.model.errors import partition_path
from wizard.model.machine import Drive, Machine
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.probe import collect
from wizard.probe.facts import RawDrive
from wizard.probe.host.system import read_machine
from wizard.probe.interpret import drive_of, machine_of

PAUSE_SECONDS = 0.1
WRITING_PAUSE_SECONDS = 0.01
"""Pause between checks for the short write to the drive."""
PATIENCE_SECONDS = 400.0
"""Time limit for any output. It takes seconds, or minutes on a busy machine."""
PURPOSE = "What will you store?"
ROWS = ("> sd", "  sd")
"""Start of a drive's row in the list."""


def _stick(name: str, model: str) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.USB,
        serial=f"LAB-{name.upper()}",
        vendor="LAB",
        model=model,
        logical_block_bytes=512,
        physical_block_bytes=512,
        size_bytes=128 * MIB,
        removable=True,
    )


STICK = _stick("stick", "Pulled Stick")
OTHER = _stick("other", "Other Stick")
DISK = EmulatedDrive(
    "disk",
    Bus.SCSI,
    serial="LAB-PULLED-DISK",
    vendor="LAB",
    model="Pulled Disk",
    wwn=0x5000C500AAAA0301,
    rotation_rate=7200,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=128 * MIB,
    media=Pace(100, charges_rewrites=False),
)
"""Slow, so that work on the drive takes a while."""

PULLED_FLEET = Fleet("pulled", (DISK, STICK, OTHER))


def pull(drive: EmulatedDrive) -> None:
    """Unplug a drive, and wait until the kernel has noticed."""
    folder = Path("/sys/block", Path(node_of(drive)).name)
    before = (folder / "diskseq").read_text()
    ask_host("unplug", drive.name)
    limit = monotonic() + SLOW
    while (folder / "diskseq").exists() and (folder / "diskseq").read_text() == before:
        assert monotonic() < limit, f"The kernel still has {folder.name}."
        sleep(PAUSE_SECONDS)


def plug(drive: EmulatedDrive) -> str:
    """Plug a drive in again. Return its node, which may differ."""
    ask_host("plug", drive.name)
    return node_of(drive, SLOW)


def rows(fleet: Fleet) -> Iterator[Check]:
    """Check the wizard's first list: a drive's row disappears and returns without a key press."""
    nodes = {drive.name: node_of(drive) for drive in fleet.drives}
    with Terminal(TERM="linux") as screen:
        yield shows(screen, "the wizard lists every drive", lambda: _is_read(screen, *nodes.values()))
        pull(fleet["stick"])
        yield shows(
            screen, "stick: the row disappears after unplugging", partial(_is_missing, screen, nodes["stick"])
        )
        yield shows(
            screen,
            "stick: a row appears after plugging in",
            partial(_is_read, screen, plug(fleet["stick"])),
        )


def steps(fleet: Fleet) -> Iterator[Check]:
    """Check later steps of the wizard: its drive is unplugged during the benchmark, and another stick
    silently replaces the selected one."""
    disk, stick, other = fleet["disk"], fleet["stick"], fleet["other"]
    with Terminal(TERM="linux") as screen:
        yield shows(
            screen, "the wizard lists every drive", lambda: _is_read(screen, *map(node_of, fleet.drives))
        )
        node_of_disk = node_of(disk)
        _choose(screen, node_of_disk)
        screen.press("t")
        screen.until("Does alignment matter", PATIENCE_SECONDS)
        screen.press("enter")
        yield shows(screen, "disk: the benchmark runs", lambda: " so far" in screen.text)
        pull(disk)
        yield shows(
            screen,
            "disk: the wizard reports the disconnection during the benchmark",
            partial(_says, screen, f"{node_of_disk} was disconnected"),
        )
        screen.press("escape")
        plug(disk)
        yield shows(
            screen,
            "the wizard lists every drive again",
            lambda: _is_read(screen, *map(node_of, fleet.drives)),
        )
        node = node_of(stick)
        _choose(screen, node)
        screen.press("enter")
        screen.until(PURPOSE, PATIENCE_SECONDS)
        with _asleep(screen.pid):
            pull(stick)
            pull(other)
            yield Check("another stick gets the same node", plug(other) == node, node)
        yield shows(
            screen,
            "the wizard reports the disconnection of the selected stick",
            partial(_says, screen, f"{stick.model} was disconnected"),
        )
        yield shows(
            screen,
            "the list has the other stick",
            lambda: "Other" in _row(screen, node) and str(stick.model) not in _row(screen, node),
        )
    plug(stick)


def readings(fleet: Fleet) -> Iterator[Check]:
    """Unplug a drive during a probe and a benchmark: a finding, and a message with the exit code."""
    disk = fleet["disk"]
    yield from _read_and_pulled(disk)
    node = plug(disk)
    with _Work("bench", node, "--seconds", "300", "--scratch", "--confirm", disk.serial) as bench:
        bench.until(lambda: "Rewriting" in bench.said)
        pull(disk)
        yield from bench.ends("bench", 1, f"{node} was disconnected")
    plug(disk)


def runs(fleet: Fleet) -> Iterator[Check]:
    """Unplug a drive during a run: a message and the exit code. The run resumes once the drive is back."""
    disk = fleet["disk"]
    node = node_of(disk)
    plan_file = SHARED / "plan-pulled.json"
    diskwright(
        "plan",
        node,
        "--volume",
        "workload=small-files,fs=ext4,label=pulled,mount=/srv/pulled",
        "-o",
        str(plan_file),
    )
    plan = PLANS.read(plan_file.read_text(), str(plan_file))
    with _Work("apply", str(plan_file), "--confirm", disk.serial) as apply:
        apply.until(is_writing, pause=WRITING_PAUSE_SECONDS)
        (run,) = list_runs()
        with _asleep(int((run / "pid").read_text())):
            pull(disk)
        yield from apply.ends("apply", 1, f"{node} was disconnected", "diskwright resume", "diskwright undo")
    yield Check(
        "apply: the detached process logs nothing else",
        not (run / "process.log").read_text(),
        (run / "process.log").read_text(),
    )
    status = diskwright("status").output
    yield Check(
        "status shows the failure and the reason", "failed" in status and "was disconnected" in status, status
    )
    gone = diskwright("resume", run.name, "--confirm", disk.serial, accept=range(256))
    yield Check(
        "resume refuses without the drive",
        gone.status == 3 and "Traceback" not in gone.errors,
        f"{gone.status}: {gone.errors}",
    )
    yield Check("the disk returns at its node", plug(disk) == node, node)
    again = diskwright("resume", run.name, "--confirm", disk.serial, accept=range(256))
    yield Check(
        "resume succeeds",
        again.status == 0,
        f"{again.status}: {again.output[-1500:]} {again.errors[-1500:]}",
    )
    found = tool("blkid", "-p", "-o", "value", "-s", "UUID", partition_path(node, 1)).strip()
    yield Check("the filesystem is the planned one", found == plan.volumes[0].uuid, found)
    tool("umount", "/srv/pulled")


def _read_and_pulled(drive: EmulatedDrive) -> Iterator[Check]:
    """Unplug the drive between `inspect`'s read from the kernel and its read from the drive."""
    node = node_of(drive)
    phases = collect.phases(Path(node).name, SLOW)
    facts = to_json(next(phases))
    pull(drive)
    for update in phases:
        facts.update(to_json(update))
    machine = read_machine()
    found = drive_of(from_json(facts, RawDrive, node), machine)
    codes = [
        finding.code
        for finding in diagnose(Machine(machine_of(machine).kernel, (found,), root=True), found, ()).findings
    ]
    yield Check("inspect: unplugging during a read is a finding", "drive-unread" in codes, shown(codes))
    yield Check(
        "inspect: the unplugged drive is not called empty",
        not _passes_for_empty(found),
        shown([one.what for one in found.unread]),
    )


def _passes_for_empty(drive: Drive) -> bool:
    return (
        bool(drive.is_empty)
        or bool(drive.free)
        or (drive.table is not None and drive.content_digest is not None)
    )


def is_writing() -> bool:
    """Return True if the only run is copying its rehearsed result to the drive."""
    return any(
        (record := load_record(run)) is not None and record.phase in (Phase.CLEARING, Phase.REPLACING)
        for run in list_runs()
    )


class _Work:
    """A running diskwright command. Use it in a with statement, which ends the command."""

    def __init__(self, *words: str) -> None:
        self._file = (SHARED / "said").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wizard", *words],
            stdin=subprocess.DEVNULL,
            stdout=self._file,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self) -> "_Work":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._file.close()

    @property
    def said(self) -> str:
        """Output so far."""
        return Path(self._file.name).read_text(errors="replace")

    def until(self, met: Callable[[], bool], pause: float = PAUSE_SECONDS) -> None:
        """Wait for a condition. Fails the job if the command ends first."""
        limit = monotonic() + PATIENCE_SECONDS
        while not met():
            assert self._process.poll() is None and monotonic() < limit, (
                f"It is not so: {self._process.poll()} {self.said}"
            )
            sleep(pause)

    def ends(self, name: str, status: int, *sentences: str) -> Iterator[Check]:
        """Check the exit status and messages. The first sentence gives the reason; its introduction may
        contain the others."""
        try:
            ended: int | None = self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            ended = None
        said = " ".join(self.said.split())
        yield Check(
            f"{name}: exit status {status} after the drive is unplugged",
            ended == status,
            f"{ended}: {said}",
        )
        end = said[max(said.find(next(iter(sentences), "")), 0) :]
        for sentence in sentences:
            yield Check(f"{name}: prints '{sentence}'", sentence in end, said)
        yield Check(f"{name}: prints no traceback", "Traceback" not in said, said)


def _choose(screen: Terminal, node: str) -> None:
    """Move the cursor to a drive, row by row. Fails the job if that is impossible."""
    listed = [f"/dev/{line[2:].split()[0]}" for line in screen.screen.display if line[:4] in ROWS]
    key = "g"
    for one in listed[: listed.index(node) + 1]:
        screen.press(key)
        screen.until(partial(_is_under_cursor, screen, one), PATIENCE_SECONDS)
        key = "down"


@contextmanager
def _asleep(process: int) -> Iterator[None]:
    """Stop the process during this context."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def _says(screen: Terminal, sentence: str) -> bool:
    """Return True if the screen shows the sentence, despite line breaks."""
    return sentence in " ".join(screen.text.replace("│", " ").split())


def _row(screen: Terminal, node: str) -> str:
    """Return the row of a drive in the list, or empty."""
    begins = tuple(f"{mark} {node.removeprefix('/dev/')} " for mark in "> ")
    return next((line for line in screen.screen.display if line.startswith(begins)), "")


def _is_under_cursor(screen: Terminal, node: str) -> bool:
    return _row(screen, node).startswith("> ")


def _is_missing(screen: Terminal, node: str) -> bool:
    return not _row(screen, node)


def _is_read(screen: Terminal, *nodes: str) -> bool:
    return all((row := _row(screen, node)) and "reading .." not in row for node in nodes)


def shows(screen: Terminal, what: str, met: Callable[[], bool]) -> Check:
    """Check that a condition on the screen becomes true."""
    try:
        screen.until(met, PATIENCE_SECONDS)
    except TimeoutError:
        return Check(what, False, screen.text)
    return Check(what, True, "")


JOBS = {"rows": rows, "steps": steps, "readings": readings, "runs": runs}

VISITS = (
    Visit(
        "drives are unplugged and plugged in, without udev", PULLED_FLEET, ("rows",), seconds=800, udev=False
    ),
    Visit(
        "drives are unplugged during the wizard and a run",
        PULLED_FLEET,
        ("steps", "runs"),
        seconds=1200,
        udev=True,
    ),
    Visit(
        "drives are unplugged during inspect and the benchmark",
        PULLED_FLEET,
        ("rows", "readings"),
        seconds=1200,
        udev=True,
        full_only=True,
    ),
)
