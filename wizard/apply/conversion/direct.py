"""Convert a filesystem directly on the device.

Each step has an undo file. Undo applies the files in reverse order and compares their blocks, or for steps
that rewrite files, a fingerprint of the device.
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
    UNDO_INTERRUPTED,
    UndoRecord,
    drop,
    folder_fault,
    folder_of,
    keep_record,
    load_record,
    made_durable,
    new_folder,
    undo_file_fault,
    undo_step,
)
from wizard.apply.conversion.verify import (
    MigratingSite,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import run_argument
from wizard.ext4.assessment import was_mounted_since
from wizard.ext4.duration import fingerprint_seconds
from wizard.ext4.steps import proof
from wizard.ext4.superblock import read_ext
from wizard.model.errors import Failed, Refused
from wizard.model.migration import CheckFiles, Migration, OnDevice
from wizard.model.run import Check, Event
from wizard.model.said import MIB, Message, Sentence, join, t

PIECE_BYTES = 4 * MIB


UNDOES = Sentence("The undo data ({kept:exact}) can restore the replaced blocks.")


@dataclass(frozen=True, slots=True)
class Direct:
    """Run that works on the device itself, with undo files."""

    site: MigratingSite

    @property
    def node(self) -> str:
        """The device itself."""
        return self.site.migration.device

    def checks(self) -> Iterator[Check]:
        """Yield the checks of the device."""
        yield from device_checks(self.node, self.site)
        yield from manifest_checks(self.node, self.site)

    def release(self) -> None:
        """Does nothing: all work is on the device."""

    def commit(self) -> str:
        """Does nothing: the result is already on the device."""
        return ""

    @property
    def _run(self) -> Path:
        return self.site.run

    @property
    def _migration(self) -> Migration:
        return self.site.migration

    @property
    def _is_undoing(self) -> bool:
        return (self._run / UNDO_INTERRUPTED).exists()

    def _folder(self, step: int) -> Path:
        return folder_of(Path(self._migration.undo_dir), self._run.name, step)

    def prepare(self) -> None:
        """Record the fingerprint if undo needs one. If a step was interrupted, undo all steps first.

        The state after an interrupted step is unknown. The state before all steps is known exactly.
        """
        record = load_record(self._run)
        if record is None:
            migration = self._migration
            if not fingerprint_seconds(
                [step.operation for step in migration.steps],
                migration.before,
                migration.means,
                None,
                compares=migration.manifest,
            ):
                keep_record(self._run, UndoRecord("", 0.0))
                return
            sha256, seconds = self._fingerprint()
            keep_record(self._run, UndoRecord(sha256, round(seconds, 1)))
            message = t(
                "Recorded the fingerprint of {device} before the change, in {seconds:.1f} s.",
                device=self._migration.device,
                seconds=seconds,
            )
            self.site.journal.add(Event.SAVED, str(message), output=f"sha256 {sha256}")
        elif record.cut_off or self._is_undoing:
            self.site.journal.add(
                Event.COMMAND, str(t("A step was interrupted: all steps are undone and repeated."))
            )
            self.check_kept()
            self.undo()

    def is_done(self, step: int) -> bool:
        """Return True if a step on the device is done."""
        record = load_record(self._run)
        return record is not None and record.is_done(step)

    def make(self, operation: OnDevice, step: int) -> str:
        """Run a step and return a result message. The undo file is durable afterwards. Raises Failed."""
        device = self._migration.device
        # Repairs by a check, such as a journal replay, come before the comparison.
        if not isinstance(operation, CheckFiles):
            keep_manifest(device, self.site)
        record = load_record(self._run)
        if record is None:
            raise Failed(t("{file} is missing.", file=str(self._run / undo_files.FILE)))
        undo_file = new_folder(self._folder(step))
        record = keep_record(self._run, record.begun(step, superblock_on(device)))
        message = operate(operation, device, replace(self.site, step=step), undo_file)
        kept = made_durable(self._folder(step))
        keep_record(self._run, record.done(superblock_on(device)))
        return f"{message} {UNDOES(kept=kept)}"

    def check_kept(self) -> None:
        """Raises Failed if the undo file of a completed step is missing, damaged, or not owned by root
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

    def undo(self) -> str:
        """Undo all steps in reverse order, and compare the result. Return a result message. Can be repeated.
        Raises Failed."""
        record, device = load_record(self._run), self._migration.device
        if record is None or not (record.marks or self._is_undoing):
            return str(t("{device} contains no data from this run.", device=device))
        again = record.cut_off or self._is_undoing
        mark_durably(self._run / UNDO_INTERRUPTED)
        for mark in reversed(record.marks):
            site = replace(self.site, step=mark.step)
            undo_step(
                self._folder(mark.step),
                device,
                bytes.fromhex(mark.before),
                site.command,
                again=again,
                compare=bool(mark.after) and not record.sha256,
            )
            # Forget the undone step. An interrupted step without an undo file passes only now, while the
            # superblock is the one before that step.
            record = keep_record(self._run, record.without_last())
        if record.sha256:
            message = self._compare_fingerprint(record.sha256)
        elif record.interrupted:
            message = t(
                "All undo data is restored to {device}. One step did not finish, so check the filesystem "
                "with `{command}`.",
                device=device,
                command=" ".join(proof(device)),
            )
        else:
            message = t(
                "{device} is restored bit for bit: every changed block matches its undo data.", device=device
            )
        (self._run / UNDO_INTERRUPTED).unlink()
        return str(message)

    def _compare_fingerprint(self, sha256: str) -> Message:
        """Compare the device with its fingerprint, and return a result message. Raises Failed."""
        device = self._migration.device
        found, seconds = self._fingerprint()
        if found != sha256:
            raise Failed(
                t(
                    "All saved data was restored to {device}, but the fingerprint still differs. "
                    "`{command}` checks the filesystem. The undo files remain in {folder}.",
                    device=device,
                    command=" ".join(proof(device)),
                    folder=str(self._folder(1).parent),
                )
            )
        return t(
            "{device} is restored bit for bit. The fingerprint matches ({size:exact}, {seconds:.1f} s).",
            device=device,
            size=size_bytes(device),
            seconds=seconds,
        )

    def drop(self) -> str:
        """Delete the undo files, and return a result message."""
        freed = drop(Path(self._migration.undo_dir), self._run.name)
        return str(t("Deleted the undo data and freed {freed:exact}.", freed=freed))

    def check_resumable(self) -> None:
        """Raises Refused if the device was changed since the last step."""
        self.check_untouched()

    def check_untouched(self) -> None:
        """Raises Refused if the device was mounted for writing or otherwise changed after the run stopped."""
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
        is_between = record.cut_off or self._is_undoing
        # An interrupted step or undo may have left any recorded superblock.
        possible = [
            seen for one in (record.superblocks if is_between else (known,)) if (seen := read_ext(one))
        ]
        if found is not None and left is not None and was_mounted_since(found, left, *possible):
            raise Refused(mounted_since(device, self._run))
        # An interrupted program may have left any state, but no other mount time: none of the programs sets
        # it.
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
        start = monotonic()
        return fingerprint(self._migration.device, noting(self._run)), monotonic() - start


def mounted_since(device: str, run: Path, *, finish: bool = False) -> Message:
    """Return why undo is impossible, with the next command. `finish`: the run has steps left."""
    command = (
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
        command(run=run_argument(run)),
    )


def fingerprint(node: str, on_share: Callable[[float], None]) -> str:
    """Return the SHA-256 of a device, read past every cache while hashing.

    `on_share` receives the completed share, from 0 to 1. Raises Failed.
    """
    total, done, digest = size_bytes(node), 0, hashlib.sha256()
    forget_caches(node)
    try:
        fd = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
        try:
            for piece in _pieces(fd, total):
                digest.update(piece)
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
    return digest.hexdigest()


def _pieces(fd: int, total: int) -> Iterator[memoryview]:
    """Yield all bytes in order, reading ahead. A piece is valid until the next one is requested. Raises
    OSError."""
    # O_DIRECT needs page-aligned memory.
    halves = [memoryview(mmap.mmap(-1, PIECE_BYTES)) for _ in range(2)]
    done = 0
    with ThreadPoolExecutor(1) as reader:

        def read_next() -> Future[int]:
            return reader.submit(os.preadv, fd, [halves[0][: total - done]], done)

        pending = read_next()
        while got := pending.result():
            piece = halves[0][:got]
            done += got
            halves.reverse()
            pending = read_next()
            yield piece
