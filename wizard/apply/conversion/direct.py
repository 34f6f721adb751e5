"""Convert a filesystem directly on the device.

Each step has an undo file. Undo applies them in reverse and verifies the result by a fingerprint.
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from wizard.apply.block.devices import forget_caches, size_bytes, superblock_on
from wizard.apply.conversion import undo_files
from wizard.apply.conversion.undo_files import (
    TAKING_BACK,
    UndoRecord,
    drop,
    folder_fault,
    folder_of,
    keep_record,
    load_record,
    made_durable,
    new_folder,
    put_step_back,
    undo_file_fault,
)
from wizard.apply.conversion.verify import (
    MigratingSite,
    OnGround,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import run_argument
from wizard.ext4.assessment import was_mounted_since
from wizard.ext4.steps import proof
from wizard.ext4.superblock import read_ext
from wizard.model.errors import Failed, Refused
from wizard.model.ext import Check, Event
from wizard.model.migration import CheckFiles, CopyFiles, MakeFresh, Migration
from wizard.model.said import MIB, Message, Sentence, join, t

PIECE_BYTES = 4 * MIB


PUTS_BACK = Sentence("The undo data ({kept:exact}) can restore the replaced blocks.")


@dataclass(frozen=True, slots=True)
class Direct:
    """A run that works on the device itself, with undo files."""

    site: MigratingSite

    @property
    def node(self) -> str:
        """The device itself."""
        return self.site.migration.device

    def checks(self) -> Iterator[Check]:
        """What is to hold of the device."""
        yield from device_checks(self.node, self.site)
        yield from manifest_checks(self.node, self.site)

    def release(self) -> None:
        """Nothing but the device is worked on."""

    def commit(self) -> str:
        """It was made where it stays."""
        return ""

    @property
    def _run(self) -> Path:
        return self.site.run

    @property
    def _migration(self) -> Migration:
        return self.site.migration

    @property
    def _is_taking_back(self) -> bool:
        return (self._run / TAKING_BACK).exists()

    def _folder(self, step: int) -> Path:
        return folder_of(Path(self._migration.undo_dir), self._run.name, step)

    def prepare(self) -> None:
        """Take the fingerprint, or, where an earlier process was cut off in a step, take all of it back
        first: what such a step leaves is known to nobody, while what the device was is known to the bit.
        """
        record = load_record(self._run)
        if record is None:
            sha256, seconds = self._fingerprint()
            keep_record(self._run, UndoRecord(sha256, round(seconds, 1)))
            took = t(
                "Recorded the fingerprint of {device} before the change, in {seconds:.1f} s.",
                device=self._migration.device,
                seconds=seconds,
            )
            self.site.journal.add(Event.SAVED, str(took), output=f"sha256 {sha256}")
        elif record.cut_off or self._is_taking_back:
            self.site.journal.add(
                Event.COMMAND, str(t("A step was interrupted: all steps are undone and repeated."))
            )
            self.check_kept()
            self.take_back()

    def is_done(self, step: int) -> bool:
        """Whether a step on the device is done."""
        record = load_record(self._run)
        return record is not None and record.is_done(step)

    def make(self, operation: OnGround, step: int) -> str:
        """Carry out a step; a sentence on it. Its undo file is on the medium on return. Raises Failed."""
        device = self._migration.device
        if isinstance(operation, MakeFresh | CopyFiles):
            raise Failed(undo_files.ELSEWHERE(step=step, device=device))
        # What a check puts right, such as a journal that was not empty, belongs to what is compared.
        if not isinstance(operation, CheckFiles):
            keep_manifest(device, self.site)
        record = load_record(self._run)
        if record is None:
            raise Failed(t("The fingerprint of {device} is missing.", device=device))
        undo_file = new_folder(self._folder(step))
        record = keep_record(self._run, record.begun(step, superblock_on(device)))
        said = operate(operation, device, replace(self.site, step=step), undo_file)
        kept = made_durable(self._folder(step))
        keep_record(self._run, record.done(superblock_on(device)))
        return f"{said} {PUTS_BACK(kept=kept)}"

    def check_kept(self) -> None:
        """Raises Failed where an undo file of a step that was done is missing, damaged, or not root's
        alone."""
        record, device = load_record(self._run), self._migration.device
        for mark in record.marks if record else ():
            folder = self._folder(mark.step)
            if fault := folder_fault(folder):
                raise Failed(
                    t(
                        "The folder {folder} with the undo file of step {step} {fault}. {device} is "
                        "left unchanged.",
                        folder=str(folder),
                        step=mark.step,
                        fault=fault,
                        device=device,
                    )
                )
            if mark.after and (fault := undo_file_fault(folder, device, self.site.command)):
                raise Failed(
                    t(
                        "The undo file of step {step} in {folder} {fault}. {device} is left unchanged.",
                        step=mark.step,
                        folder=str(folder),
                        fault=fault,
                        device=device,
                    )
                )

    def take_back(self) -> str:
        """Put everything back in reverse, and prove it; a sentence on that. May be repeated. Raises
        Failed."""
        record, device = load_record(self._run), self._migration.device
        if record is None or not (record.marks or self._is_taking_back):
            return str(t("{device} contains no data from this run.", device=device))
        again = record.cut_off or self._is_taking_back
        mark_durably(self._run / TAKING_BACK)
        for mark in reversed(record.marks):
            site = replace(self.site, step=mark.step)
            put_step_back(
                self._folder(mark.step), device, bytes.fromhex(mark.before), site.command, again=again
            )
            # What is put back is not asked for again: a step that was cut off before its undo file was there
            # fits only as it was then.
            record = keep_record(self._run, record.without_last())
        found, seconds = self._fingerprint()
        if found != record.sha256:
            folder, command = str(self._folder(1).parent), " ".join(proof(device))
            raise Failed(
                t(
                    "All saved data was restored to {device}, but the fingerprint still differs. "
                    "`{command}` checks the filesystem. The undo files remain in {folder}.",
                    device=device,
                    command=command,
                    folder=folder,
                )
            )
        (self._run / TAKING_BACK).unlink()
        return str(
            t(
                "{device} is restored bit for bit. The fingerprint matches ({size:exact}, {seconds:.1f} s).",
                device=device,
                size=size_bytes(device),
                seconds=seconds,
            )
        )

    def drop(self) -> str:
        """Delete the undo files; a sentence on that."""
        freed = drop(Path(self._migration.undo_dir), self._run.name)
        return str(t("Deleted the undo data and freed {freed:exact}.", freed=freed))

    def check_resumable(self) -> None:
        """Raises Refused where its steps would work on something else than they left."""
        self.check_untouched()

    def check_untouched(self) -> None:
        """Raises Refused where the device was mounted for writing, or changed otherwise, since the run left
        it."""
        record, device = load_record(self._run), self._migration.device
        if record is None or not record.marks:
            return
        now, known = superblock_on(device), record.last_superblock
        found, left = read_ext(now), read_ext(known)
        if found is not None and found.uuid != self._migration.before.uuid:
            raise Refused(
                t(
                    "{device} now contains another filesystem, {uuid}. Nothing was written.",
                    device=device,
                    uuid=found.uuid,
                )
            )
        is_between = record.cut_off or self._is_taking_back
        # Of what is between two steps any superblock can stand there: each is one that was left.
        possible = [
            seen for one in (record.superblocks if is_between else (known,)) if (seen := read_ext(one))
        ]
        if found is not None and left is not None and was_mounted_since(found, left, *possible):
            raise Refused(mounted_since(device, self._run))
        # What was cut off can have left anything between, but for the time of a mount, which none of the
        # programs sets.
        if now != known and not is_between:
            raise Refused(
                t(
                    "{device} has changed since run {run} ended: the superblock differs. The "
                    "saved data no longer matches. Nothing was written.",
                    device=device,
                    run=self._run.name,
                )
            )

    def _fingerprint(self) -> tuple[str, float]:
        begun = monotonic()
        return fingerprint(self._migration.device, noting(self._run)), monotonic() - begun


def mounted_since(device: str, run: Path, *, finish: bool = False) -> Message:
    """Why there is no way back any more, and the way on; `finish`: the run has something left to do."""
    on = (
        Sentence("`diskwright resume {run}` completes the remaining steps. Nothing was written.")
        if finish
        else Sentence("`diskwright keep {run}` deletes the undo data. Nothing was written.")
    )
    return join(
        t(
            "{device} was mounted for writing after run {name} ended. Restoring old "
            "blocks would corrupt newer data, so undo is no longer possible.",
            device=device,
            name=run.name,
        ),
        on(run=run_argument(run)),
    )


def fingerprint(node: str, on_share: Callable[[float], None]) -> str:
    """SHA-256 of all bytes, read past every cache, each piece while the one before is hashed. `on_share` is
    told which part is done, from 0 to 1. Raises Failed.
    """
    total, done, made = size_bytes(node), 0, hashlib.sha256()
    forget_caches(node)
    try:
        fd = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
        try:
            for piece in _pieces(fd, total):
                made.update(piece)
                done += len(piece)
                on_share(done / total)
        finally:
            os.close(fd)
    except OSError as error:
        raise Failed(
            t(
                "Cannot read {device} at byte {place}: {why}.",
                device=node,
                place=done,
                why=str(error.strerror),
            )
        ) from None
    if done < total:
        raise Failed(t("{device} ended at byte {place} of {total}.", device=node, place=done, total=total))
    return made.hexdigest()


def _pieces(fd: int, total: int) -> Iterator[memoryview]:
    """All bytes in order, the next being read meanwhile; a piece is good until the next is asked for. Raises
    OSError."""
    # Reading past the caches wants memory that begins on a page.
    halves = [memoryview(mmap.mmap(-1, PIECE_BYTES)) for _ in range(2)]
    done = 0
    with ThreadPoolExecutor(1) as reader:

        def ask() -> Future[int]:
            return reader.submit(os.preadv, fd, [halves[0][: total - done]], done)

        asked = ask()
        while got := asked.result():
            piece = halves[0][:got]
            done += got
            halves.reverse()
            asked = ask()
            yield piece
