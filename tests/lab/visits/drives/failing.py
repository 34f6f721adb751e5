"""Jobs: partly unreadable or unwritable drives never count as empty, and a run on one ends with a message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.lab.drives.fleet import EVERYWHERE, MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, SLOW, node_of, shown, told, tool
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import list_runs
from wizard.model.run import Check, Event
from wizard.plan.documents import PLANS
from wizard.process.program import run

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

SECTOR_BYTES = 512
SIZE_BYTES = 64 * MIB
FIRST = MIB // SECTOR_BYTES
SUPERBLOCK = FIRST + 2
"""First superblock of an ext4 in the first partition."""


def _disk(
    number: int, name: str, *, unreadable: tuple[int, ...] = (), unwritable: tuple[int, ...] = ()
) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.SCSI,
        serial=f"LAB-{name.upper()}",
        vendor="LAB",
        model="Failing Disk",
        wwn=0x5000C500AAAA0400 + number,
        rotation_rate=7200,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=SIZE_BYTES,
        unreadable=unreadable,
        unwritable=unwritable,
    )


FAILING_FLEET = Fleet(
    "failing",
    (
        _disk(1, "unread-all", unreadable=(EVERYWHERE,)),
        _disk(2, "unread-start", unreadable=(0,)),
        _disk(3, "unread-end", unreadable=(SIZE_BYTES // SECTOR_BYTES - 1,)),
        _disk(4, "unread-mark", unreadable=(SUPERBLOCK,)),
        _disk(5, "unwritable", unwritable=(SUPERBLOCK,)),
    ),
)
"""`unread-end` has an unreadable GPT copy, `unread-mark` a filesystem without a readable superblock."""

WITH_TABLE = ("unread-end", "unread-mark")


def unread(fleet: Fleet) -> Iterator[Check]:
    """Check that every command reports unreadable data and concludes nothing from it."""
    nodes = {drive.name: node_of(drive) for drive in fleet.drives}
    _, text = told("inspect", "--json")
    seen = {drive["path"]: drive for drive in json.loads(text)["drives"]}
    for name in ("unread-all", "unread-start", *WITH_TABLE):
        drive = seen[nodes[name]]
        codes = [finding["code"] for finding in drive["findings"]]
        yield Check(f"{name}: inspect reports unread data", "drive-unread" in codes, shown(codes))
        known = [drive[key] for key in ("signatures", "free") if drive[key]] + [
            table for table in [drive["table"]] if table
        ]
        yield Check(f"{name}: the content is neither known nor empty", not known, shown(known))
        numbers = [part["number"] for part in drive["partitions"]]
        yield Check(
            f"{name}: the kernel's partitions are listed",
            numbers == ([1] if name in WITH_TABLE else []),
            shown(numbers),
        )
        status, said = told("plan", nodes[name], "--workload", "small-files")
        yield Check(
            f"{name}: plan refuses, as the contents are unknown",
            status == 3 and "contents of" in said and "are unknown" in said,
            f"{status}: {said}",
        )
    dead, torn = nodes["unread-all"], nodes["unread-start"]
    status, said = told("bench", dead)
    yield Check(
        "unread-all: bench reports the I/O error",
        status == 1 and "Input/output error" in said,
        f"{status}: {said}",
    )
    status, said = told("advise", dead, "--workload", "small-files")
    yield Check(
        "unread-all: advise warns about a failing drive",
        status == 0 and "may be failing" in said,
        f"{status}: {said}",
    )
    file = str(SHARED / "plan-unread.json")
    status, said = told("plan", torn, "--workload", "small-files", "--replace", "-o", file)
    yield Check(
        "unread-start: a plan with --replace names the unread data",
        status == 0 and "unreadable during planning" in " ".join(said.split()),
        f"{status}: {said}",
    )
    status, said = told("apply", file, "--confirm", fleet["unread-start"].serial)
    why = status == 3 and "was not read" in said and "Nothing was written" in said
    yield Check("unread-start: apply refuses", why, f"{status}: {said}")


def errs(fleet: Fleet) -> Iterator[Check]:
    """Check a drive with write errors during a run."""
    drive = fleet["unwritable"]
    file = SHARED / "plan-unwritable.json"
    before = tool("md5sum", node_of(drive)).split()[0]
    told("plan", node_of(drive), "--volume", "workload=small-files,fs=ext4,mount=none", "-o", str(file))
    rehearsed = [number for number, _ in PLANS.read(file.read_text(), str(file)).rehearsed_steps()]
    status, said = told("apply", str(file), "--confirm", drive.serial)
    yield Check("unwritable: apply fails", status == 1, f"{status}: {said}")
    why = f"Cannot write {node_of(drive)} at byte"
    for sentence in (why, "Input/output error", "`diskwright resume ", "`diskwright undo "):
        yield Check(f"unwritable: apply prints '{sentence}'", sentence in said, said)
    (folder,) = list_runs()
    ends = [
        (entry.event, entry.step)
        for entry in read_entries(folder)
        if entry.event in (Event.STEP_DONE, Event.STEP_FAILED, Event.FAILED)
    ]
    whole = [(Event.STEP_DONE, number) for number in rehearsed]
    yield Check(
        "unwritable: the journal has a good rehearsal, then the failure",
        ends == [*whole, (Event.FAILED, 0)],
        shown(ends),
    )
    log = (folder / "process.log").read_text()
    yield Check("unwritable: the detached process logs nothing else", not log, log)
    status, said = told("status")
    yield Check(
        "unwritable: status shows the failure and its location",
        why in said and "failed" in said,
        said,
    )
    status, said = told("resume", folder.name, "--confirm", drive.serial)
    yield Check(
        "unwritable: resume fails with the same message",
        status == 1 and why in said,
        f"{status}: {said}",
    )
    status, said = told("undo", folder.name)
    # Unwritable blocks keep their content, so undo does not write them.
    after = tool("md5sum", node_of(drive)).split()[0]
    yield Check(
        "unwritable: undo succeeds, and every byte is unchanged",
        status == 0 and "bit for bit" in said and after == before,
        f"{status}: {before} {after} {said}",
    )


def _write_tables(lab: Laboratory) -> None:
    """Write tables with this machine's tools to the images of unreadable drives."""
    for name in WITH_TABLE:
        image = str(lab.image(name))
        run(["sfdisk", "--quiet", image], seconds=SLOW, stdin=b"label: gpt\nstart=2048\n")
        offset = f"offset={FIRST * SECTOR_BYTES},nodiscard"
        run(["mke2fs", "-q", "-t", "ext4", "-E", offset, image, "32M"], seconds=SLOW)


JOBS = {"unread": unread, "errs": errs}

VISITS = (
    Visit(
        "drives with unreadable or unwritable blocks",
        FAILING_FLEET,
        ("unread", "errs"),
        seconds=400,
        udev=False,
        prepare=_write_tables,
    ),
)
