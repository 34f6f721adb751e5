"""A run's journal: one fsynced line of JSON per entry, complete and readable by any interface."""

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from time import sleep

from msgspec.structs import replace

from wizard.apply.run import process
from wizard.documents import codec
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed
from wizard.model.run import Check, Event, JournalEntry
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.process.program import FAILS_AGAIN


def line_of(entry: JournalEntry) -> bytes:
    """Return the JSON line of an entry, with the message and arguments if known."""
    plain: codec.JSON = codec.to_json(entry)
    if entry.said is not None:
        del plain["sentence"]
    return (json.dumps(plain, default=str) + "\n").encode()


def entry_of(line: str, where: str) -> JournalEntry:
    """Parse a journal line, in the current language. Raises ValueError for invalid JSON, and BadInput, naming
    `where`, for an invalid entry."""
    plain: object = json.loads(line)
    if isinstance(plain, dict) and "said" in plain:
        plain["sentence"] = str(codec.from_json(plain["said"], Message, where))
    return codec.from_json(plain, JournalEntry, where)


def in_own_words(entry: JournalEntry) -> JournalEntry:
    """Return an entry from another process with the sentence in the current language."""
    return entry if entry.said is None else replace(entry, sentence=str(entry.said))


NOT_NOTED = Sentence("Cannot write the journal in {run}: {why}.")
NOBODY_KNOWS = t(
    "Without the journal, the run's changes to the drive are unknown. Restore "
    "the run's folder, or run `diskwright inspect` on the drive first."
)

FILE = "journal.jsonl"
RECORD = "rehearsed.json"
"""The record of a rehearsed plan or conversion."""
BACKUPS = ("backup.json", "backup-2.json")
"""Copies of the plan, the settings and the record of a rehearsed plan."""
OUTPUT_LIMIT = 8000
POLL_SECONDS = 0.05


class RunState(StrEnum):
    """State of a run. INTERRUPTED: the process ended without a result. WAITING: the user must keep or
    undo."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    WAITING = "waiting"
    UNDONE = "undone"
    KEPT = "kept"


ENDS = {Event(state): state for state in RunState if state not in (RunState.RUNNING, RunState.INTERRUPTED)}
"""The state after each last event of a run."""


class Journal:
    """Writes the journal, in the process that holds the run's lock. Raises Failed."""

    def __init__(self, run: Path) -> None:
        self._run = run
        try:
            self._fd = os.open(run / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                # A power cut can leave an incomplete last line, which was never acknowledged.
                whole = os.pread(self._fd, os.fstat(self._fd).st_size, 0).rfind(b"\n") + 1
                os.ftruncate(self._fd, whole)
                os.lseek(self._fd, 0, os.SEEK_END)
                sync_folder(run)
            except OSError:
                self.close()
                raise
        except OSError as error:
            raise self._fault(error) from None

    def add(
        self,
        event: Event,
        sentence: Message | str,
        *,
        step: int = 0,
        command: Sequence[str] = (),
        output: str = "",
    ) -> JournalEntry:
        """Append an entry and sync it. Raises Failed."""
        entry = JournalEntry(
            datetime.now(UTC).isoformat(timespec="milliseconds"),
            event,
            step,
            str(sentence),
            tuple(command),
            output[-OUTPUT_LIMIT:],
            sentence if isinstance(sentence, Message) else None,
        )
        line = line_of(entry)
        before = os.lseek(self._fd, 0, os.SEEK_END)
        try:
            while line:
                line = line[os.write(self._fd, line) :]
            os.fsync(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, before)
            raise self._fault(error) from None
        return entry

    def verify(self, checks: Iterable[Check]) -> Message | None:
        """Journal checks. Return a message if some fail, or None."""
        failed = 0
        for check in checks:
            event = Event.VERIFIED if check.holds else Event.NOT_VERIFIED
            self.add(event, check.what.rstrip("."), output=check.seen)
            failed += not check.holds
        if not failed:
            return None
        return tn(
            "All steps finished, but {count} check failed.",
            "All steps finished, but {count} checks failed.",
            count=failed,
        )

    def end(self, event: Event, sentence: Message | str) -> None:
        """Append the last entry and close the file. If that fails, the run counts as interrupted."""
        with suppress(Failed):
            self.add(event, sentence)
        self.close()

    def _fault(self, error: OSError) -> Failed:
        reason = t("the disk is full") if error.errno == errno.ENOSPC else error
        return Failed(NOT_NOTED(run=self._run, why=reason))

    def close(self) -> None:
        """Close the journal file."""
        os.close(self._fd)


def read_entries(run: Path) -> tuple[JournalEntry, ...]:
    """Return all complete entries of a run, or the readable ones if the run does not depend on its journal.
    Raises BadInput."""
    # A rehearsed plan has a record and recovery labels on its drives, and a plan without a process has not
    # written.
    dispensable = any((run / name).exists() for name in (RECORD, *BACKUPS)) or (
        (run / "plan.json").exists() and not (run / process.LOG).exists()
    )
    if dispensable and not (run / FILE).exists():
        return ()
    try:
        text = (run / FILE).read_bytes().decode(errors="replace" if dispensable else "strict")
    except (OSError, UnicodeDecodeError) as error:
        # A missing journal is not an empty one: the folder was moved or deleted, and the run's writes are
        # unknown.
        file = run / FILE
        unread = (
            UNREADABLE(file=file, why=error) if isinstance(error, OSError) else process.DAMAGED(place=file)
        )
        raise BadInput(join(unread, NOBODY_KNOWS)) from None
    whole = text[: text.rfind("\n") + 1].splitlines()
    entries = []
    for number, line in enumerate(whole, 1):
        where = f"{run / FILE}, line {number}"
        try:
            entries.append(entry_of(line, where))
        except (BadInput, ValueError) as error:
            if not dispensable:
                damaged = join(process.DAMAGED(place=where), NOBODY_KNOWS)
                raise error if isinstance(error, BadInput) else BadInput(damaged) from None
    return tuple(entries)


def state(run: Path) -> RunState:
    """Return the state of the run from its journal and lock."""
    # Check the lock first: a process that ends in between has already journaled its result.
    working = process.is_locked(run)
    marks = {*ENDS, Event.STARTED}
    last = next((entry.event for entry in reversed(read_entries(run)) if entry.event in marks), None)
    if working and last not in ENDS:
        return RunState.RUNNING
    record = raw_record(run)
    phase = record.get("phase") if record.get("waits", True) is True else None
    if last in ENDS:
        found = ENDS[last]
        # The record of a rehearsed plan shows if the journal is outdated or from another run. Without saved
        # bytes, nothing is left to do.
        has_saved = found in PHASES_OF and (run / "engine").is_dir()
        fits = not has_saved or not isinstance(phase, str) or phase in PHASES_OF[found]
        return found if fits else RunState.INTERRUPTED
    changes = record.get("changes")
    if last is None and phase == "barred" and isinstance(changes, list):
        is_blank = all(isinstance(one, dict) and one.get("blank") is True for one in changes)
        return RunState.INTERRUPTED if is_blank else RunState.WAITING
    return RunState.INTERRUPTED


PHASES_OF = {
    RunState.WAITING: frozenset({"barred", "left"}),
    RunState.DONE: frozenset({"kept", "left"}),
    RunState.KEPT: frozenset({"kept", "left"}),
    RunState.UNDONE: frozenset({"undone", "left"}),
}
"""The phases of the record that fit each final state."""


def raw_record(run: Path) -> dict[str, object]:
    """Return the raw record of a rehearsed plan, or an empty dict if it is unreadable."""
    try:
        record = json.loads((run / RECORD).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def was_done(run: Path) -> bool:
    """Return True if the run was ever done, even if undone later."""
    return any(entry.event is Event.DONE for entry in read_entries(run))


def follow(run: Path, after: int = 0, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
    """Yield the run's entries after the first `after` as they appear, until its process ends. Call
    `meanwhile` between polls."""
    seen = after
    while True:
        running = state(run) is RunState.RUNNING
        entries = read_entries(run)
        yield from entries[seen:]
        seen = max(seen, len(entries))
        if not running:
            break
        sleep(POLL_SECONDS)
        if meanwhile is not None:
            meanwhile()
    # Wait up to 2 seconds for the process to exit, so the caller can unmount the journal's filesystem.
    for _ in range(40):
        if not process.is_locked(run):
            return
        sleep(POLL_SECONDS)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so its names survive a power cut."""
    with process.opened(folder, os.O_RDONLY | os.O_DIRECTORY) as fd:
        os.fsync(fd)


def begun_steps(entries: tuple[JournalEntry, ...]) -> frozenset[int]:
    """Return the numbers of all started steps, from 1."""
    return frozenset(entry.step for entry in entries if entry.event is Event.STEP_STARTED)


def done_steps(entries: tuple[JournalEntry, ...]) -> frozenset[int]:
    """Return the numbers of all finished steps, from 1."""
    return frozenset(entry.step for entry in entries if entry.event is Event.STEP_DONE)


def fails_again(run: Path) -> bool:
    """Return True if the step that failed last must fail again, according to the command's output."""
    output, again = "", False
    for entry in read_entries(run):
        if entry.event is Event.STEP_STARTED:
            output = ""
        elif entry.event is Event.COMMAND:
            output += entry.output
        elif entry.event is Event.STEP_FAILED:
            again = any(pattern.search(output) for pattern in FAILS_AGAIN)
    return again
