"""A run's journal: one fsynced line of JSON per entry, complete and readable by any interface."""

import errno
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from time import sleep
from typing import TypeGuard

from wizard.apply.run import process
from wizard.apply.run.process import is_locked
from wizard.documents.codec import JSON, from_json, to_json
from wizard.documents.decode import foreign, is_said
from wizard.model.errors import BadInput, Failed
from wizard.model.ext import Event, JournalEntry
from wizard.model.said import Message, join, t


def line_of(entry: JournalEntry) -> bytes:
    """The line of an entry: with what was said, or else with its text."""
    plain: JSON = to_json(entry)
    if entry.said is not None:
        del plain["sentence"]
    return (json.dumps(plain, default=str) + "\n").encode()


def entry_of(line: str, where: str) -> JournalEntry:
    """The entry of a line, its sentence in the language of this process. Raises ValueError for what is no
    JSON, and BadInput, naming `where`, for what is no entry."""
    plain: object = json.loads(line)
    if not _is_table(plain) or "said" not in plain:
        return from_json(plain, JournalEntry, where)
    written = plain["said"]
    rest = {name: value for name, value in plain.items() if name != "said"}
    try:
        said = from_json(written, Message, where)
    except BadInput:
        if not is_said(written):
            raise
        # A newer version wrote it, and knows more sentences.
        return from_json({**rest, "sentence": foreign(written)}, JournalEntry, where)
    return replace(from_json({**rest, "sentence": str(said)}, JournalEntry, where), said=said)


def in_own_words(entry: JournalEntry) -> JournalEntry:
    """An entry that another process read, in the language of this one."""
    return entry if entry.said is None else replace(entry, sentence=str(entry.said))


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


NOBODY_KNOWS = t(
    "Without the journal, the run's changes to the drive are unknown. Restore "
    "the run's folder, or run `diskwright inspect` on the drive first."
)

FILE = "journal.jsonl"
RECORD, SNAPSHOT = "rehearsed.json", "snapshot.json"
"""How far a rehearsed run is, and what belongs to a conversion."""
BACKUPS = ("backup.json", "backup-2.json")
"""Copies of the plan, the settings and the record of a rehearsed run."""
OUTPUT_LIMIT = 8000
POLL_SECONDS = 0.05


class RunState(StrEnum):
    """Where a run stands. INTERRUPTED: its process is gone without having said how it ended. WAITING: all is
    written, and waits for `keep` or `undo`.
    """

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    WAITING = "waiting"
    UNDONE = "undone"
    KEPT = "kept"


ENDS = {
    Event.DONE: RunState.DONE,
    Event.FAILED: RunState.FAILED,
    Event.STOPPED: RunState.STOPPED,
    Event.REFUSED: RunState.REFUSED,
    Event.WAITING: RunState.WAITING,
    Event.UNDONE: RunState.UNDONE,
    Event.KEPT: RunState.KEPT,
}


class Journal:
    """The writing end. Only the process that holds the run's lock may have one. Raises Failed where it cannot
    be written."""

    def __init__(self, run: Path) -> None:
        self._run = run
        try:
            self._fd = os.open(run / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._fault(error) from None
        try:
            # A power cut can leave half a line behind; it was never promised to anyone.
            whole = os.pread(self._fd, os.fstat(self._fd).st_size, 0).rfind(b"\n") + 1
            os.ftruncate(self._fd, whole)
            os.lseek(self._fd, 0, os.SEEK_END)
            sync_folder(run)
        except OSError as error:
            self.close()
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
        """Append one entry and wait until it is on the medium; raises Failed where it cannot be written."""
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

    def end(self, event: Event, sentence: Message | str) -> None:
        """Append the last word and close the file. Where that cannot be written the run is interrupted, and
        whoever follows it says why."""
        with suppress(Failed):
            self.add(event, sentence)
        self.close()

    def _fault(self, error: OSError) -> Failed:
        reason = process.DISK_FULL if error.errno == errno.ENOSPC else str(error.strerror)
        return Failed(t("Cannot write the journal in {run}: {why}.", run=str(self._run), why=reason))

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


def read_entries(run: Path) -> tuple[JournalEntry, ...]:
    """All whole entries of a run. Raises BadInput if the journal cannot be read, unless the run can do
    without it: then only the entries that can be read."""
    can_lack = _can_lack(run)
    if can_lack and not (run / FILE).exists():
        return ()
    try:
        text = (run / FILE).read_bytes().decode(errors="replace" if can_lack else "strict")
    except (OSError, UnicodeDecodeError) as error:
        # A journal that is missing is not an empty one: its folder was moved or deleted, and what the run did
        # is not known.
        reason = str(error.strerror) if isinstance(error, OSError) else t("it is damaged")
        unread = t("Cannot read the journal {file}: {why}.", file=str(run / FILE), why=reason)
        raise BadInput(join(unread, NOBODY_KNOWS)) from None
    whole = text[: text.rfind("\n") + 1].splitlines()
    entries = []
    for number, line in enumerate(whole, 1):
        try:
            entries.append(_entry(line, f"{run / FILE}, line {number}"))
        except BadInput:
            if not can_lack:
                raise
    return tuple(entries)


def _can_lack(run: Path) -> bool:
    """Whether the run needs no journal: a rehearsed one has its record and its drives, and one that saved
    nothing on the direct path has written nothing."""
    if any((run / name).exists() for name in (RECORD, *BACKUPS)):
        return not (run / SNAPSHOT).exists()
    return (run / "plan.json").exists() and not (run / "saved/index.jsonl").exists()


def _entry(line: str, where: str) -> JournalEntry:
    try:
        return entry_of(line, where)
    except ValueError:
        raise BadInput(join(process.DAMAGED(place=where), NOBODY_KNOWS)) from None


def state(run: Path) -> RunState:
    """Where the run stands, by its journal and by whether a process works on it."""
    # In this order: a process that ends in between has written how it ended.
    working = is_locked(run)
    last = next(
        (
            entry.event
            for entry in reversed(read_entries(run))
            if entry.event in ENDS or entry.event is Event.STARTED
        ),
        None,
    )
    if last in ENDS:
        found = ENDS[last]
        return RunState.INTERRUPTED if _contradicts(run, found) else found
    if last is None and not working and _waits_by_record(run):
        return RunState.WAITING
    return RunState.RUNNING if working else RunState.INTERRUPTED


PHASES_OF = {
    RunState.WAITING: frozenset({"barred", "left"}),
    RunState.DONE: frozenset({"kept", "left"}),
    RunState.KEPT: frozenset({"kept", "left"}),
    RunState.UNDONE: frozenset({"undone", "left"}),
}
"""In which phases a rehearsed plan can have ended so."""


def _contradicts(run: Path, found: RunState) -> bool:
    """Whether the record of a rehearsed plan shows that the journal is older, or from another run. Without
    saved bytes there is nothing left to do, whatever it says."""
    if found not in PHASES_OF or (run / SNAPSHOT).exists() or not (run / "engine").is_dir():
        return False
    record = _record(run)
    phase = record.get("phase")
    return record.get("waits", True) is True and isinstance(phase, str) and phase not in PHASES_OF[found]


def _waits_by_record(run: Path) -> bool:
    """Whether a run without a journal waits until it is kept or undone."""
    record = _record(run)
    changes = record.get("changes")
    return (
        record.get("phase") == "barred"
        and record.get("waits", True) is True
        and isinstance(changes, list)
        and not all(isinstance(one, dict) and one.get("blank") is True for one in changes)
    )


def _record(run: Path) -> dict[str, object]:
    """The record of a rehearsed run, as it stands in its file; empty if it cannot be read."""
    try:
        record = json.loads((run / RECORD).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def was_done(run: Path) -> bool:
    """Whether the run has ended well at some time, whatever was done with it since."""
    return any(entry.event is Event.DONE for entry in read_entries(run))


def follow(run: Path, after: int = 0, meanwhile: Callable[[], None] | None = None) -> Iterator[JournalEntry]:
    """The entries of a run as they come, but for the first `after`, until its process has ended. While there
    are none, `meanwhile` is called, several times a second.
    """
    seen = after
    while True:
        running = state(run) is RunState.RUNNING
        entries = read_entries(run)
        yield from entries[seen:]
        seen = max(seen, len(entries))
        if not running:
            _wait_until_gone(run)
            return
        sleep(POLL_SECONDS)
        if meanwhile is not None:
            meanwhile()


def _wait_until_gone(run: Path) -> None:
    """The process ends right after its last word; whoever followed it may want to unmount what the journal
    lies on."""
    for _ in range(40):
        if not is_locked(run):
            return
        sleep(POLL_SECONDS)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def begun_steps(entries: tuple[JournalEntry, ...]) -> frozenset[int]:
    """The steps that were begun, by number from 1."""
    return frozenset(entry.step for entry in entries if entry.event is Event.STEP_STARTED)


def done_steps(entries: tuple[JournalEntry, ...]) -> frozenset[int]:
    """The steps that are done, by number from 1."""
    return frozenset(entry.step for entry in entries if entry.event is Event.STEP_DONE)


COUNTER = "counter"
"""The file in the folder of runs with the last number that was given: a number is not given twice, also where
its run was deleted."""

CLOCKED = re.compile(r"\d{8}-\d{6}-")
"""How the name of a run begins that was made by an older version: with the clock's time."""

NUMBERED = re.compile(r"(\d{4,7})-")


def number_of(name: str) -> int:
    """The number that a run's name begins with; 0 where it has none, as those of older versions."""
    found = None if CLOCKED.match(name) else NUMBERED.match(name)
    return int(found[1]) if found else 0


def in_order(run: Path) -> tuple[int, str, int, str]:
    """What runs are sorted by, the oldest first: those of older versions by the time in their names, then the
    numbered."""
    name = run.name
    return (number, "", 0, name) if (number := number_of(name)) else (0, name[:15], len(name), name)


def make_numbered(folder: Path, devices: str, is_free: Callable[[str], bool]) -> Path:
    """Make a run's folder, called for its number and its devices, by a name that `is_free`; raises OSError.

    The number is on the medium before the folder is made.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        number = max(_last_given(folder), *(number_of(run.name) for run in folder.iterdir()), 0) + 1
        while not is_free(f"{number:04}-{devices}"):
            number += 1
        _note(folder, number)
        run = folder / f"{number:04}-{devices}"
        run.mkdir(mode=0o700)
    finally:
        os.close(fd)
    return run


def _last_given(folder: Path) -> int:
    """By the counter; 0 where there is none, or none that can be read: then the runs that are there tell."""
    try:
        said = (folder / COUNTER).read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return 0
    return int(said) if re.fullmatch(r"\d{1,7}", said, re.ASCII) else 0


def _note(folder: Path, number: int) -> None:
    new = folder / f".{COUNTER}.new"
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        file.write(f"{number}\n")
        file.flush()
        os.fsync(fd)
    new.rename(folder / COUNTER)
    sync_folder(folder)
