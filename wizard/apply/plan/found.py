"""A run whose folder is lost, found again by the notices on its drives, and made anew from them: from there
it is kept as every other."""

import os
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from wizard.apply.block.extents import chunks, merged, without
from wizard.apply.block.medium import DeviceMedium
from wizard.apply.engine.record import Change, Mark, Phase, Record, load_record, save_record
from wizard.apply.engine.stores import Store, barred, digest_of, new_file, notice_file
from wizard.apply.plan.guard import check_unused
from wizard.apply.plan.rehearsed import is_half_found
from wizard.apply.plan.same_drive import identity_difference
from wizard.apply.plan.start import lock_all
from wizard.apply.plan.steps_told import SETTLED
from wizard.apply.run.begin import NOTHING_WRITTEN, check_root, settle
from wizard.apply.run.environment import LOOK_SECONDS, Environment
from wizard.apply.run.facts_kept import keep_facts
from wizard.apply.run.journal import Journal, state
from wizard.apply.run.lock import is_locked, lock_run, unlock
from wizard.apply.run.runs import (
    PLAN,
    Kind,
    called,
    check_room,
    kind_of,
    list_runs,
    load_plan,
    make_run,
    runs_folder,
    save_drives,
)
from wizard.layout.document import read_plan
from wizard.layout.rehearsed import on_drive_only, on_drives
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.identity import Identity
from wizard.model.journal import Event
from wizard.model.machine import Drive, Extent
from wizard.model.names import printable
from wizard.model.notice import Notice
from wizard.model.plan import Plan
from wizard.model.units import format_capacity
from wizard.probe.content.notices import is_bare, notices
from wizard.probe.machine import list_drive_paths, probe_drive


@dataclass(frozen=True, slots=True)
class Found:
    """What waits on drives: the plan on them as they are named now, without what mounts it, the notice of
    each in the plan's order with its bytes, and where the drives are not those that the plan names."""

    plan: Plan
    notices: tuple[Notice, ...]
    data: tuple[bytes, ...]
    differences: tuple[str, ...]

    @property
    def run(self) -> str:
        """What the run was called."""
        return self.notices[0].run

    def written(self) -> tuple[tuple[str, Extent], ...]:
        """Every place that finishing it writes to, with its drive."""
        return tuple(
            (path, place)
            for path, notice in zip(self.plan.paths, self.notices, strict=True)
            for place in merged(
                (*(Extent(one.start_bytes, one.size_bytes) for one in notice.withheld), notice.extent),
                1,
                notice.drive_bytes,
            )
        )


def found_on(path: str, journal_dir: Path | None = None) -> Found:
    """What waits on a drive, and on the others that it was written with; only looks. Raises Refused where
    nothing does, which names the run that has begun to finish it, or not all of them are attached, and
    BadInput for a path that is no drive."""
    check_root()
    drive = probe_drive(path, seconds=LOOK_SECONDS)
    mine = _notice_of(drive)
    if mine is None:
        left = "What was withheld from it was written to since" if drive.waiting else "It has no notice"
        if begun := _begun_on(drive.path, journal_dir):
            raise Refused(
                f"The run {begun.name} has begun to put to use what waited on {drive.path}: `diskwright keep "
                f"{called(begun)}` goes on with that. {NOTHING_WRITTEN}"
            )
        raise Refused(f"Nothing waits on {drive.path}. {left}. {NOTHING_WRITTEN}")
    first = mine[0]
    plan = read_plan(first.plan, f"The notice on {drive.path}")
    there = {first.number: (drive, *mine)}
    if len(plan.members) > 1:
        there |= _others(first, drive.path)
    missing = [number for number in range(len(plan.members)) if number not in there]
    if missing:
        named = ", ".join(
            f"{printable(one.model or 'model unknown', 40)} of {format_capacity(one.size_bytes)}"
            for one in (plan.members[number].drive for number in missing)
        )
        raise Refused(
            f"The run {printable(first.run, 60)} wrote to {len(plan.members)} drives, and not all are "
            "attached: "
            f"missing is {named}. {NOTHING_WRITTEN}"
        )
    for drive, notice, _ in there.values():
        _refuse_senseless(drive.path, notice, drive.geometry.logical_block_bytes if drive.geometry else 1)
    drives = [there[number][0] for number in range(len(plan.members))]
    known = tuple(_as_now(member.drive, now) for member, now in zip(plan.members, drives, strict=True))
    differences = tuple(
        f"{now.path} is not quite the drive that the plan names: {difference}."
        for member, now in zip(plan.members, drives, strict=True)
        if (difference := identity_difference(member.drive, now))
    )
    numbers = range(len(drives))
    return Found(
        on_drive_only(on_drives(plan, known)),
        tuple(there[number][1] for number in numbers),
        tuple(there[number][2] for number in numbers),
        differences,
    )


def _begun_on(path: str, journal_dir: Path | None) -> Path | None:
    """The newest run here whose marks are on their way to this drive, or there, and which has not ended."""
    for run in reversed(list_runs(journal_dir)):
        with suppress(BadInput):
            record = load_record(run)
            is_on_its_way = record is not None and record.phase in (
                Phase.RELEASING,
                Phase.RELEASED,
                Phase.KEPT,
            )
            if is_on_its_way and state(run) not in SETTLED and path in load_plan(run).paths:
                return run
    return None


def _notice_of(drive: Drive) -> tuple[Notice, bytes] | None:
    """The notice of what waits on a drive, with its bytes."""
    waiting = drive.waiting
    if waiting is None or not waiting.bare or drive.size_bytes is None:
        return None
    with DeviceMedium(drive.path) as medium:
        read = _reading(medium)
        for notice, data in notices(read, medium.size_bytes):
            if notice.start_bytes == waiting.start_bytes and is_bare(notice, read):
                return notice, data
    return None


def _reading(medium: DeviceMedium) -> Callable[[int, int], bytes]:
    """Reads any length, past every cache."""

    def read(start: int, length: int) -> bytes:
        place = Extent(start, min(length, medium.size_bytes - start))
        return b"".join(medium.read(chunk.start_bytes, chunk.size_bytes) for chunk in chunks((place,)))

    return read


def _others(first: Notice, but: str) -> dict[int, tuple[Drive, Notice, bytes]]:
    """The other drives of the same run, by their numbers in its plan. Raises Refused where two say the
    same."""
    found: dict[int, tuple[Drive, Notice, bytes]] = {}
    for path in list_drive_paths(all_devices=True):
        if path == but:
            continue
        try:
            drive = probe_drive(path, seconds=5.0)
            other = _notice_of(drive)
        except DiskwrightError:
            continue
        if other is None or (other[0].run, other[0].plan) != (first.run, first.plan):
            continue
        if other[0].number in found or other[0].number == first.number:
            raise Refused(
                f"Two drives say that they are the same one of this run: {path} is one. {NOTHING_WRITTEN}"
            )
        found[other[0].number] = (drive, *other)
    return found


def _as_now(known: Identity, drive: Drive) -> Identity:
    """The drive as it is attached now. Raises Refused where its bytes cannot mean the same."""
    geometry = drive.geometry
    if (
        drive.size_bytes != known.size_bytes
        or geometry is None
        or geometry.logical_block_bytes != known.geometry.logical_block_bytes
    ):
        raise Refused(
            f"{drive.path} has another size, or other logical blocks, than when it was written: attach it as "
            "it was "
            f"attached then. {NOTHING_WRITTEN}"
        )
    return replace(
        known,
        path=drive.path,
        by_id=drive.by_id,
        model=drive.model,
        serial=drive.serial,
        wwn=drive.wwn,
        geometry=geometry,
        diskseq=drive.diskseq,
        boot_id=None,
    )


def make_found_run(
    found: Found, tokens: Sequence[str], journal_dir: Path | None, environment: Environment
) -> Path:
    """A run's folder made from what was found; from then on `keep` finishes it. Nothing is written to a
    drive. Raises Refused where the tokens are wrong, the run is here, or a drive does not hold what it held.
    """
    _check_tokens(found, tokens)
    _refuse_known(found, journal_dir)
    folder = runs_folder(journal_dir)
    check_room(folder, 0, make=True)
    settle()
    locks = lock_all(found.plan)
    try:
        for path in found.plan.paths:
            check_unused(probe_drive(path, seconds=LOOK_SECONDS))
        _refuse_changed(found)
        _clear_half_found(found, journal_dir)
        run = make_run(folder, found.plan.paths, PLAN, found.notices[0].plan, environment)
        run_lock = lock_run(run)
        try:
            # Until all is there, nothing can be done with it.
            save_record(run, Record(Phase.LEFT))
            save_drives(run, tuple(member.drive for member in found.plan.members), found=True)
            _fill(run, found)
        except DiskwrightError:
            rmtree(run, ignore_errors=True)
            raise
        finally:
            os.close(run_lock)
        keep_facts(run, found.plan.paths)
    finally:
        unlock(locks)
    return run


def _check_tokens(found: Found, tokens: Sequence[str]) -> None:
    if sorted(tokens) != sorted(found.plan.tokens):
        wanted = " ".join(f"--confirm {printable(token)}" for token in found.plan.tokens)
        raise Refused(
            f"To confirm that what waits on {', '.join(found.plan.paths)} is to be finished, add {wanted}. "
            f"{NOTHING_WRITTEN}"
        )


def _refuse_known(found: Found, journal_dir: Path | None) -> None:
    """Raises Refused where the run's own folder is here: it has the way back, too."""
    for run in _of_plan(found, journal_dir):
        if (run / "engine").is_dir() and not is_half_found(run):
            raise Refused(
                f"The run's folder is here: `diskwright keep {called(run)}` puts it to use, `diskwright undo "
                f"{called(run)}` puts back what was there. {NOTHING_WRITTEN}"
            )


def _of_plan(found: Found, journal_dir: Path | None) -> Iterator[Path]:
    """The runs here that have the very plan that waits."""
    for run in list_runs(journal_dir):
        with suppress(OSError, BadInput):
            if kind_of(run) is Kind.PLAN and (run / PLAN).read_text() == found.notices[0].plan:
                yield run


def _clear_half_found(found: Found, journal_dir: Path | None) -> None:
    """Clear away what was left of an attempt that was cut off before it was told all of what waits. Whoever
    has the drives' locks is the only one who makes such a folder."""
    for run in tuple(_of_plan(found, journal_dir)):
        if is_half_found(run) and not is_locked(run):
            rmtree(run)


def _fill(run: Path, found: Found) -> None:
    """Keep in the run's folder what its drives are to hold, and note that it waits."""
    journal = Journal(run)
    try:
        journal.add(
            Event.STARTED, f"Found on {', '.join(found.plan.paths)}: the run {printable(found.run, 60)}."
        )
        drives = zip(found.plan.paths, found.notices, found.data, strict=True)
        changes = tuple(_kept(run, number, *drive) for number, drive in enumerate(drives))
        save_record(run, Record(Phase.BARRED, changes))
        journal.add(Event.WAITING, "It waits to be put to use.")
    finally:
        journal.close()


def _kept(run: Path, number: int, path: str, notice: Notice, data: bytes) -> Change:
    """The change to one drive as it still is to be made, with what that needs in the run's folder."""
    marks = tuple(Mark(one.start_bytes, one.size_bytes, one.stays) for one in notice.withheld)
    (run / "engine").mkdir(mode=0o700, exist_ok=True)
    with (
        DeviceMedium(path) as drive,
        Store(new_file(run, number), make_bytes=notice.drive_bytes) as new,
        Store(notice_file(run, number), make_bytes=notice.drive_bytes) as kept,
    ):
        digest = sha256()
        for chunk in chunks(notice.places):
            held = drive.read(chunk.start_bytes, chunk.size_bytes)
            digest.update(held)
            for piece in without(chunk, [mark.extent for mark in marks]):
                new.write(
                    piece.start_bytes, held[piece.start_bytes - chunk.start_bytes :][: piece.size_bytes]
                )
        if digest.hexdigest() != notice.digest:
            raise Refused(_changed(path))
        _put_withheld(new, notice)
        kept.write(notice.start_bytes, data)
        new.sync()
        kept.sync()
        block = drive.logical_block_bytes
        change = Change(
            path=path,
            size_bytes=notice.drive_bytes,
            places=merged((*notice.places, notice.extent), block, notice.drive_bytes),
            old_marks=(),
            new_marks=marks,
            old_digest="",
            new_digest="",
            barred_digest="",
            blank=False,
            notice=notice.extent,
        )
        shown = barred(change, drive.read, new.read, kept.read(notice.start_bytes, notice.room_bytes))
        return replace(
            change,
            new_digest=digest_of(change.places, new.read),
            barred_digest=digest_of(change.places, shown),
        )


def _put_withheld(new: Store, notice: Notice) -> None:
    """Write what was withheld where the file has a hole."""
    for one in notice.withheld:
        new.write(one.start_bytes, b64decode(one.data))


def _refuse_changed(found: Found) -> None:
    """Raises Refused where a drive does not hold what it held when it was complete."""
    for path, notice in zip(found.plan.paths, found.notices, strict=True):
        with DeviceMedium(path) as drive:
            if digest_of(notice.places, drive.read) != notice.digest:
                raise Refused(_changed(path))


def _changed(path: str) -> str:
    return (
        f"{path} was written to since it was complete, or is not complete yet: what waits there is not "
        "whole. "
        f"{NOTHING_WRITTEN} To set it up anew, make a plan with --replace."
    )


def _refuse_senseless(path: str, notice: Notice, block_bytes: int) -> None:
    """Raises Refused where a notice names a place to write to that was no part of the change, or that is not
    as long as what belongs there: anybody can have written it."""
    for one in notice.withheld:
        place = Extent(one.start_bytes, one.size_bytes)
        try:
            size = len(b64decode(one.data, validate=True))
        except ValueError:
            size = -1
        if (
            size != one.size_bytes
            or without(place, notice.places)
            or size % block_bytes
            or one.start_bytes % block_bytes
        ):
            raise Refused(f"The notice on {path} makes no sense at byte {one.start_bytes}. {NOTHING_WRITTEN}")
    if any(without(place, (notice.extent,)) != (place,) for place in notice.places):
        raise Refused(f"The notice on {path} lies where it says that something else lies. {NOTHING_WRITTEN}")
