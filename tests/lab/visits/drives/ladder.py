"""Job: every kind of evidence for a drive's recording method, alone and against others, by the bytes and by
other tools.

Also with fewer sources: as an ordinary user, without smartctl, behind USB. And the formats of an NVMe drive,
including a change.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.lab.drives.fleet import GIB, MIB, TB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import node_of, shown
from tests.lab.visits.drives.held_against import (
    PATIENCE,
    Seen,
    against_other_tools,
    against_the_kernel,
    diagnosed,
    formats_of,
)
from wizard.documents.codec import from_json, to_json
from wizard.findings import smr_evidence as words
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import Pattern, load_patterns
from wizard.model.machine import Drive, Machine
from wizard.model.run import Check
from wizard.probe import collect
from wizard.probe.content import blkid
from wizard.probe.facts import ROOT_READS, RawDrive, RawMachine
from wizard.probe.host.system import read_machine
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey
from wizard.process.program import find

assert blkid, "loaded before the checks become a plain user, who may not be allowed to read the checkout"

NOBODY = 65534

DATABASE, PAGE, SMARTCTL, WORD = map(str, (words.DATABASE, words.PAGE, words.SMARTCTL, words.WORD))
NOT_ASKED = str(words.NOT_ASKED(why=""))


def _sata(name: str, model: str, **changes: Any) -> EmulatedDrive:  # noqa: ANN401
    plain = EmulatedDrive(
        name,
        Bus.SATA,
        serial=f"LADDER-{name.upper()}",
        model=model,
        rotation_rate=5400,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=TB // MIB * MIB,
    )
    return replace(plain, **changes)


LADDER_FLEET = Fleet(
    "ladder",
    (
        # Word 255 declares a checksum over all words, as on real drives.
        _sata("word", "LAB Shingled By Word 69", identify=((69, 2), (255, 0xA5))),
        _sata("trim", "LAB Rotating With TRIM", discards=True),
        _sata("archive", "ST8000AS0002-1NA17Z", size_bytes=8 * TB // MIB * MIB),
        # SCSI truncates the model to `TOSHIBA MQ04UBB4`, unknown to every list.
        _sata("long-name", "TOSHIBA MQ04UBB400"),
        _sata("jumpered", "LAB Jumpered 512e", identify=((209, 0x4001),)),
        # smartmontools lists its family as conventional; the drive reports itself as shingled.
        _sata("contradicted", "ST1000DM010-2EP102", identify=((69, 2),)),
        _sata("solid", "LAB Solid State", physical_block_bytes=512, rotation_rate=1, discards=True),
        EmulatedDrive(
            "bridge",
            Bus.UAS,
            serial="LADDER-BRIDGE",
            vendor="ST8000AS",
            model="0002-1NA17Z",
            logical_block_bytes=512,
            physical_block_bytes=4096,
            size_bytes=8 * TB // MIB * MIB,
        ),
        EmulatedDrive(
            "stick",
            Bus.USB,
            serial="LADDER-STICK",
            vendor="LAB",
            model="USB Stick",
            logical_block_bytes=512,
            physical_block_bytes=512,
            size_bytes=16 * GIB,
            removable=True,
        ),
        EmulatedDrive("nvme", Bus.NVME, "LADDER-NVME", 512, 512, size_bytes=GIB),
    ),
)

SURE, LIKELY, UNKNOWN = ("yes", "drive", "high"), ("likely", "drive", "medium"), ("unknown", None, "none")
VERDICTS = {
    "word": SURE,
    "trim": LIKELY,
    "archive": SURE,
    "long-name": SURE,
    "jumpered": UNKNOWN,
    "contradicted": ("yes", "drive", "medium"),
    "solid": ("not-applicable", None, "high"),
    "bridge": SURE,
    "stick": UNKNOWN,
    "nvme": ("not-applicable", None, "high"),
}
"""Verdicts with all sources. Without the database, `contradicted` has no contradiction."""


def climb(fleet: Fleet) -> Iterator[Check]:
    """Check as root, with every tool."""
    seen = _seen(fleet, survey(tuple(node_of(drive) for drive in fleet.drives), seconds=PATIENCE))
    patterns = load_patterns()
    yield from _verdicts(seen, patterns, VERDICTS, "root")
    yield from against_the_kernel(seen)
    for name, (_, drive, raw) in seen.items():
        if fleet[name].bus is Bus.SATA:
            yield from against_other_tools(name, drive, raw)
    yield from _alone(seen)
    yield from _contradictions(seen, patterns)
    yield from _behind_usb(seen)
    yield from formats_of(fleet["nvme"], seen)


def descend(fleet: Fleet) -> Iterator[Check]:
    """Check with fewer sources: verdicts may be weaker but not wrong, and missing sources are named."""
    patterns = load_patterns()
    less = VERDICTS | {"contradicted": SURE}
    plain = _seen(fleet, _as_plain_user([node_of(drive) for drive in fleet.drives]))
    yield from _verdicts(plain, patterns, less, "a plain user")
    yield from _unheard(plain, "a plain user", "needs root")
    formats = [one.why for one in plain["nvme"][1].unread if one.what == "nvme_formats"]
    yield Check("nvme: a plain user reads that formats need root", formats == [ROOT_READS], shown(formats))
    asked = [fleet[name] for name in ("word", "archive", "long-name", "contradicted")]
    with _hidden("smartctl"):
        deaf = _seen(
            Fleet("deaf", tuple(asked)), survey(tuple(node_of(drive) for drive in asked), seconds=PATIENCE)
        )
    yield from _verdicts(deaf, patterns, {name: less[name] for name in deaf}, "without smartctl")
    yield from _unheard(deaf, "without smartctl", "smartctl is not installed")
    nothing = _said(deaf["archive"], ())
    yield Check(
        "archive: without list and smartctl the verdict is unknown, never conventional",
        nothing == UNKNOWN,
        shown(nothing),
    )


def _seen(fleet: Fleet, raw: RawMachine) -> Seen:
    machine = machine_of(raw)
    by_path = {
        drive.path: (machine, drive, facts) for drive, facts in zip(machine.drives, raw.drives, strict=True)
    }
    return {drive.name: by_path[node_of(drive)] for drive in fleet.drives}


def _said(
    seen: tuple[Machine, Drive, RawDrive], patterns: tuple[Pattern, ...]
) -> tuple[str, str | None, str]:
    recording = diagnosed(seen, patterns).recording
    return recording.verdict.value, recording.management, recording.confidence


def _clues(seen: tuple[Machine, Drive, RawDrive], patterns: tuple[Pattern, ...]) -> dict[str, str]:
    return {str(clue.source): str(clue.says) for clue in diagnosed(seen, patterns).recording.evidence}


def _verdicts(
    seen: Seen, patterns: tuple[Pattern, ...], wanted: Mapping[str, tuple[str, str | None, str]], who: str
) -> Iterator[Check]:
    for name, one in seen.items():
        said = _said(one, patterns)
        yield Check(
            f"{name}: the verdict is right for {who}",
            said == wanted[name],
            f"{said}: {shown(_clues(one, patterns))}",
        )


def _alone(seen: Seen) -> Iterator[Check]:
    """Check which evidence decides each verdict, without the list of models."""
    word = _clues(seen["word"], ())
    carried = {source: word.get(source) for source in (PAGE, WORD, SMARTCTL)}
    wanted = {PAGE: "2: drive-managed", WORD: "2: device-managed", SMARTCTL: "device_managed"}
    yield Check(
        "word: word 69 decides, read in three ways",
        carried == wanted and _said(seen["word"], ()) == SURE,
        shown(word),
    )
    archive = _clues(seen["archive"], ())
    yield Check(
        "archive: smartmontools' database decides",
        "(SMR)" in archive.get(DATABASE, "") and _said(seen["archive"], ()) == SURE,
        shown(archive),
    )
    yield Check("trim: TRIM decides", _said(seen["trim"], ()) == LIKELY, shown(_clues(seen["trim"], ())))
    name = seen["long-name"]
    yield Check(
        "long-name: only the list of models decides",
        _said(name, ()) == UNKNOWN and name[1].model == "TOSHIBA MQ04UBB400",
        shown(name[1].model),
    )


def _contradictions(seen: Seen, patterns: tuple[Pattern, ...]) -> Iterator[Check]:
    machine, drive, _ = seen["contradicted"]
    found = [
        str(one.sentence)
        for one in diagnose(machine, drive, patterns).findings
        if one.code == "recording-contradiction"
    ]
    told = len(found) == 1 and "(CMR)" in found[0] and "device-managed" in found[0]
    yield Check("contradicted: a finding names both sources", told, shown(found))
    quiet = {
        name
        for name, one in seen.items()
        if any("contradiction" in finding.code for finding in diagnosed(one, patterns).findings)
    }
    yield Check("no other drive has a contradiction", quiet == {"contradicted"}, shown(sorted(quiet)))
    solid = seen["solid"][1].path
    turning = Path("/sys/block", Path(solid).name, "queue/rotational")
    turning.write_text("1")
    try:
        raw = survey((solid,), seconds=PATIENCE)
    finally:
        turning.write_text("0")
    machine = machine_of(raw)
    diagnosis = diagnose(machine, machine.drives[0], patterns)
    codes = [finding.code for finding in diagnosis.findings]
    right = "recording-contradiction" in codes and diagnosis.recording.verdict.value == "not-applicable"
    yield Check("solid: inspect doubts the rotation reported by the kernel", right, shown(codes))


def _behind_usb(seen: Seen) -> Iterator[Check]:
    """Kernels differ in reading page B1h from a bridge. QEMU's bridges never pass on the drive's own data."""
    for name in ("bridge", "stick"):
        clues = _clues(seen[name], ())
        yield Check(
            f"{name}: inspect names the unavailable sources behind USB",
            NOT_ASKED in clues.get(WORD, ""),
            shown(clues),
        )


def _unheard(seen: Seen, who: str, why: str) -> Iterator[Check]:
    """Check that an unavailable database is named with the reason."""
    for name in ("archive", "long-name"):
        clues = _clues(seen[name], ())
        told = [
            says
            for source, says in clues.items()
            if "smartmontools" in source and NOT_ASKED in says and why in says
        ]
        unread = [one.why for one in seen[name][1].unread if one.what == "smart"]
        yield Check(
            f"{name}: {who}, inspect names the missing smartctl data",
            bool(told) and len(unread) == 1,
            shown(clues),
        )


def _as_plain_user(nodes: list[str]) -> RawMachine:
    """Return the facts read by an ordinary user's process, drive by drive as a worker does."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            with os.fdopen(writing, "w") as pipe:
                for node in nodes:
                    facts: dict[str, object] = {}
                    for update in collect.phases(Path(node).name, PATIENCE):
                        facts |= to_json(update)
                    pipe.write(json.dumps(facts) + "\n")
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        drives = tuple(from_json(json.loads(line), RawDrive, "a plain user's facts") for line in pipe)
    _, status = os.waitpid(child, 0)
    assert status == 0 and len(drives) == len(nodes), "The plain user's process broke off."
    return replace(read_machine(), root=False, drives=drives)


@contextmanager
def _hidden(program: str) -> Iterator[None]:
    """Hide a program by renaming its file, in the guest's memory."""
    path = find(program)
    assert path is not None
    away = f"{path}.away"
    Path(path).rename(away)
    try:
        yield
    finally:
        Path(away).rename(path)


JOBS = {"climb": climb, "descend": descend}

VISITS = (
    Visit(
        "evidence for shingled drives: each source alone, and with sources missing",
        LADDER_FLEET,
        ("descend", "climb"),
        600,
        udev=False,
    ),
)
