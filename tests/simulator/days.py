"""Days of a run from a seed: commands, power cuts, killed programs, full disks, other writers, reboots,
swapped drives, and files of the run that are lost, truncated, stale or from another run. Every recommended
command is tried and must work."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.exchanging import PowerCut
from tests.simulator.cuts import CHUNK_BYTES
from tests.simulator.drives import Sparse
from tests.simulator.faults import FOR_GOOD, Fault, FaultyDrive, Killed, Life, drawn
from tests.simulator.jobs import Job
from tests.simulator.shelf import Shelf
from tests.simulator.states import Rules, is_new, is_old
from wizard.apply.engine import checks, exchange
from wizard.apply.engine.checks import Checks
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.engine.record import FILE, Phase, Record, load_record, power_sentence
from wizard.apply.engine.stores import old_file
from wizard.apply.engine.survey import count_blocks
from wizard.apply.plan import rehearsed, run_summary
from wizard.apply.run.backup_store import digest_of_text, save_backup
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import BACKUPS, Journal
from wizard.apply.run.process import Purpose, lock_run
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, why_not
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message

ENDS = (Phase.KEPT, Phase.UNDONE, Phase.LEFT)
CLAIMS = (Phase.HIDDEN, Phase.RELEASED, Phase.KEPT, Phase.UNDONE)
"""Phases that say what the drives hold."""
COMMANDS = ("resume", "keep", "undo", "undo --over-changes", "status")
PLAN = "the plan of this run"
FILES = (
    FILE,
    *BACKUPS,
    "journal.jsonl",
    "engine/old-0.img",
    "engine/new-0.img",
    "engine/notice-0.img",
    "engine/old-1.img",
    "engine/new-1.img",
)
OTHER_BYTES = bytes(byte ^ 0x55 for byte in range(256))
Script = Sequence[tuple[str, "Life | Damage"]]
"""Commands, and what happens during each; or files of the run, and what happens to them."""
WAY = re.compile(r"`diskwright (resume|keep|undo)(?! --from)[^`]*?( --over-changes)?(?: --confirm \S+)?`")
NO_WAY = re.compile(
    r"needs no further action|Restore the folder's files from a backup|"
    r"already undone|no longer possible|is not at|epeat the command|diskwright status|diskwright inspect"
)


class Damage(StrEnum):
    """Damage to a file of a run."""

    LOST = "lost"
    CUT = "cut"
    STALE = "stale"
    OTHER = "other"


@dataclass
class Day:
    """A run on the drives of a job, from the rehearsal to the end."""

    job: Job
    run: Path
    dice: Random
    rules: Rules
    told: list[str] = field(default_factory=list)
    life: Life = field(default_factory=Life)
    drives: list[FaultyDrive] = field(default_factory=list)
    foreign: dict[tuple[int, int], bytes] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    overwritten: bool = False
    mounted: bool = False
    last_words: str = ""
    kept_files: dict[str, list[bytes]] = field(default_factory=dict)
    shelf: Shelf = field(init=False)

    def begin(self, kept: Path) -> None:
        """Return a run just after the rehearsal. `kept` contains the run's data."""
        (self.run / "engine").mkdir(parents=True)
        for file in kept.iterdir():
            os.link(file, self.run / "engine" / file.name)
        (self.run / "plan.json").write_text(PLAN)
        self.shelf = Shelf(self.run, self.life, self.dice)
        self.shelf.put(replace(self.job.record, of_plan=digest_of_text(PLAN)))
        save_backup(self.run)
        self._plug_in(self.life)

    def _plug_in(self, life: Life) -> None:
        """Attach the drives, perhaps after a reboot. With power, they keep unflushed data in their caches."""
        self.life = life
        before = [(drive.content.written, drive.cached) for drive in self.drives] or [
            ({}, []) for _ in self.job.parts
        ]
        self.shelf.power = life
        life.lost_with_it.append(self.shelf._lose)
        self.drives = [
            FaultyDrive(
                Sparse(part.change.size_bytes, part.block_bytes, part.old, written),
                life,
                self.dice,
                part.block_bytes,
                cached,
                life=life,
            )
            for part, (written, cached) in zip(self.job.parts, before, strict=True)
        ]

    @property
    def phase(self) -> Phase:
        try:
            record = load_record(self.run)
        except BadInput:
            record = None
        assert record is not None or self.damaged
        return record.phase if record else Phase.UNKNOWN

    def goes_by(self, script: Script = ()) -> None:
        """Let events happen and give commands, at random or from a script. Then finish without further
        faults."""
        for what, life in script:
            if not isinstance(life, Damage):
                self._command(what, life)
            elif self.phase not in ENDS:
                self._damage(what, life)
        for _ in range(0 if script else self.dice.randrange(1, 7)):
            self._happens()
            self._command(self._chosen(), drawn(self.dice))
            if self.phase in ENDS:
                break
        for _ in range(10):
            if self._is_over:
                break
            self._command(self._chosen(follow=True), Life())
        else:
            raise AssertionError(f"stuck at {self.phase}: {self.last_words}")
        self._end()

    @property
    def _is_over(self) -> bool:
        if self.phase is Phase.KEPT:
            return self.mounted
        return self.phase in ENDS or self._hopeless

    @property
    def _hopeless(self) -> bool:
        """Return True if so much of the run is lost that no command works. The last message must say so."""
        said = ("Restore the folder's files from a backup", "--from-drive")
        if self.damaged and any(one in self.last_words for one in said):
            return True
        return "may be another drive" in self.last_words and bool(self.foreign) and self._resembles_nothing

    @property
    def _resembles_nothing(self) -> bool:
        """Return True if a drive was overwritten while it had only zeros of the run. It cannot be
        distinguished from another drive."""
        one = Checks(self.run, self.drives)
        try:
            return any(not count_blocks(side).is_known for side in one.sides)
        finally:
            one.close()

    def _chosen(self, *, follow: bool = False) -> str:
        """Return the next command, mostly one that the last message recommends."""
        ways = [f"{way[1]}{way[2] or ''}" for way in WAY.finditer(self.last_words)]
        if ways and (follow or self.dice.random() < 0.7):
            return self.dice.choice(ways)
        if follow:
            return self.dice.choice(("resume", "undo"))
        return self.dice.choices(COMMANDS, (4, 2, 3, 0, 1))[0]

    def _happens(self) -> None:
        """Let something happen between two commands."""
        what = self.dice.random()
        if what < 0.08:
            number = self.dice.randrange(len(self.drives))
            part = self.job.parts[number]
            block = self.dice.choice([at for at in part.old if at not in part.unsaved])
            data = self.dice.randbytes(self.job.parts[number].block_bytes)
            drive = self.drives[number]
            _write_cache(drive)
            drive.content.written[block] = self.foreign[number, block] = data
            self.told.append(f"somebody writes block {block} of drive {number} at {self.phase}")
        elif what < 0.2 and len(self.damaged) < 2:
            self._damage(self.dice.choice(FILES), self.dice.choice((*Damage,)))
        elif what < 0.26:
            self.told.append(f"the machine reboots at {self.phase}")
            for drive in self.drives:
                _write_cache(drive)
            self.mounted = False

    def _damage(self, name: str, how: Damage) -> None:
        """Delete or truncate a file of the run, or replace it by an older one or by one of another run."""
        file = self.run / name
        if not file.exists():
            return
        self.told.append(f"{name} is {how} at {self.phase}")
        self.damaged.add(name)
        data, older = file.read_bytes(), self.kept_files.get(name, [])
        file.unlink()
        if how is Damage.CUT:
            file.write_bytes(data[: len(data) // 2])
        elif how is Damage.STALE and older:
            file.write_bytes(older[0] if self.dice.random() < 0.5 else self.dice.choice(older))
        elif how is Damage.OTHER:
            text = data.replace(digest_of_text(PLAN).encode(), digest_of_text("another plan").encode())
            other = data.translate(OTHER_BYTES) if file.suffix == ".img" else text
            file.write_bytes(other)
        if name == FILE:
            self.shelf.lasting = file.read_bytes() if file.exists() else b""

    def _remember(self) -> None:
        """Remember versions of small files, which a snapshot of the system may restore later."""
        for name in (FILE, "journal.jsonl"):
            if (self.run / name).exists():
                self.kept_files.setdefault(name, []).append((self.run / name).read_bytes())

    @contextmanager
    def _swapped(self) -> Iterator[None]:
        """Replace a drive by another one of equal size and serial number. Commands must neither write to
        it nor delete saved bytes."""
        number = self.dice.randrange(len(self.drives))
        part, drive = self.job.parts[number], self.drives[number]
        noise = {at: self.dice.randbytes(part.block_bytes) for at in part.old}
        stranger = FaultyDrive(
            Sparse(part.change.size_bytes, part.block_bytes, noise),
            self.life,
            self.dice,
            part.block_bytes,
            life=self.life,
        )
        self.told.append(f"another drive is in the place of drive {number}")
        saved = old_file(self.run, number).exists()
        self.drives[number] = stranger
        try:
            yield
        finally:
            self.drives[number] = drive
        assert not stranger.content.written, "it wrote to another drive"
        if self.phase is not Phase.KEPT or not self.mounted:
            assert old_file(self.run, number).exists() is saved, (
                "saved bytes are gone, on another drive's word"
            )

    def _command(self, what: str, life: Life) -> None:
        """Give one command, possibly with a fault."""
        self.told.append(f"{what} at {self.phase}, {life.fault} at {life.goes_at}")
        if life.fault is Fault.CUT or self.dice.random() < 0.2:
            life.beside = self._second_command
        self._plug_in(life)
        self._remember()
        swapped = life.fault is Fault.NONE and not self.damaged and self.dice.random() < 0.1
        try:
            with self._swapped() if swapped and self._is_distinct else nullcontext():
                self.last_words = self._said(what)
        except (PowerCut, Killed) as end:
            self.last_words = power_sentence(self.phase, "the drive")
            if isinstance(end, Killed) and self.dice.random() < 0.5:
                with pytest.raises(PowerCut):
                    life.go()
            self.mounted = False
        except DiskwrightError as error:
            # As the run's own process does when it ends.
            self.last_words = f"{error} {rehearsed.next_commands(self.run)}"
            if swapped:
                self.last_words += " `diskwright status`"
            else:
                self._recommends()
            assert WAY.search(self.last_words) or NO_WAY.search(self.last_words), (
                f"no way on is named: {self.last_words}"
            )
        self.told.append(f"    {self.phase}: {self.last_words}")
        self._holds()

    @property
    def _is_distinct(self) -> bool:
        """Return True if this phase compares the drives. Runs that are finished or not begun do not."""
        return self.phase not in ENDS

    def _recommends(self) -> None:
        """Check that every command in the last message passes its own checks now."""
        if self.phase in ENDS or self._hopeless:
            return
        quiet = Life()
        for drive in self.drives:
            drive.life = drive.power = quiet
        one = Checks(self.run, self.drives)
        try:
            for way in WAY.finditer(self.last_words):
                match way[1], way[2]:
                    case "undo", over:
                        one.check_undo(over=bool(over))
                    case _ if self.phase in (Phase.HIDDEN, Phase.RELEASING, Phase.RELEASED):
                        one.check_release()
                    case _:
                        one.check_commit()
        finally:
            one.close()

    def _second_command(self) -> None:
        """Give another command for the same run during the first."""
        with pytest.raises(Refused):
            os.close(lock_run(self.run, wait_seconds=0.0))

    def _said(self, what: str) -> str:
        if what == "status":
            return power_sentence(self.phase, "the drive")
        lock = lock_run(self.run)
        try:
            journal = FullJournal(self.run, self.life)
            try:
                return self._does(what, journal)
            finally:
                journal.close()
        finally:
            os.close(lock)

    def _does(self, what: str, journal: Journal) -> str:
        work = RunWork(self.run, Purpose.APPLY, journal, ())
        if what == "resume":
            return str(rehearsed.carry_out(work)[1])
        if what == "keep":
            rehearsed.check_keeps(self.run)
            return str(rehearsed.release(work)[1])
        rehearsed.check_can_undo(self.run)
        mark_over_changes(self.run, what != "undo")
        self.overwritten = self.overwritten or what != "undo"
        said = str(rehearsed.undo_plan(self.run, journal))
        assert self._is_old() or "remain in" in said, f"it said {said!r}"
        if "bit for bit" in said:
            assert is_old(self.job, self.drives), f"it said {said!r}"
        return said

    def finish(self) -> tuple[Event, str]:
        """Mount the result."""
        self.mounted = True
        return Event.DONE, "It is set up."

    def _is_old(self) -> bool:
        if self.overwritten:
            # The user was told that zeros cannot be restored.
            return is_old(self.job, self.drives, saved=True)
        return is_old(self.job, self.drives) or (self.phase is Phase.UNDONE and self._untouched)

    @property
    def _untouched(self) -> bool:
        """Return True if only other programs wrote to the drives."""
        return all(
            (number, block) in self.foreign or data == self.job.parts[number].old[block]
            for number, drive in enumerate(self.drives)
            for block, data in drive.content.written.items()
        )

    def _holds(self) -> None:
        """Check the rules after a command."""
        # In the middle it is compared with both, so it is not seen where one of them is damaged.
        if not self.overwritten and not self.damaged:
            for (number, block), data in self.foreign.items():
                assert self.drives[number].content.block(block) == data, (
                    f"what somebody wrote to block {block} is gone"
                )
        # Once zeros were written, an old signature that is restored on request stands before lost bytes.
        if not self.foreign and not self.overwritten and not any(drive.cached for drive in self.drives):
            fault = self.rules.fault(self.drives)
            assert not fault, fault
        # A record that is older than the drives says less than they show, until a command reads them.
        if self.phase is Phase.SAVED and not self.foreign and not self.damaged:
            assert is_old(self.job, self.drives), "it says that nothing was written"
        if self.phase in (Phase.RELEASED, Phase.KEPT) and not self.foreign:
            assert is_new(self.job, self.drives), "it says that everything is in place"
        if self.phase is Phase.UNDONE:
            assert self._is_old(), "it says that everything is back"

    def _end(self) -> None:
        """Check the end: the drives have their final content, and no other data of the run remains."""
        assert self.phase in ENDS or self._hopeless, f"{self.phase}: {self.last_words}"


def _write_cache(drive: FaultyDrive) -> None:
    for offset, cached in drive.cached:
        drive.content[offset : offset + len(cached)] = cached
    drive.cached.clear()


class FullJournal(Journal):
    """A journal on a disk that is sometimes full."""

    def __init__(self, run: Path, life: Life) -> None:
        super().__init__(run)
        self._life = life

    def add(
        self,
        event: Event,
        sentence: Message | str,
        *,
        step: int = 0,
        command: Sequence[str] = (),
        output: str = "",
    ) -> JournalEntry:
        self._life.moment()
        if self._life.fails(Fault.JOURNAL):
            raise Failed("The journal cannot be written: no room in it. Repeat the command.")
        return super().add(event, sentence, step=step, command=command, output=output)


class Clock:
    """A clock that jumps by years, in both directions."""

    dice = Random(0)

    @classmethod
    def now(cls, zone: tzinfo | None = None) -> datetime:
        return datetime(2026, 1, 1, tzinfo=zone or UTC) + timedelta(days=cls.dice.randrange(-9000, 9000))


@contextmanager
def days_on(job: Job, folder: Path) -> Iterator[Callable[[int, Script], list[str]]]:
    """Return a function that lives through the days of a seed or script and returns the events."""
    kept = folder / "kept"
    kept.mkdir()
    job.fill(kept)
    rules = Rules(job)
    now: list[Day] = []

    def save(run: Path, record: Record) -> None:
        day = now[-1]
        if day.life.unread and day.life.lasts == FOR_GOOD:
            assert record.phase not in CLAIMS, f"{record.phase}, and it could not be read back"
        if day.life.fails(Fault.RECORD):
            raise Failed(
                f"Cannot record the run's progress in {run}: No space left on device. Repeat the command."
            )
        day.shelf.save(run, record)

    @contextmanager
    def holding(paths: tuple[str, ...], part: str = "") -> Iterator[list[FaultyDrive]]:
        yield now[-1].drives

    def check_drives(*_: object) -> None:
        if now[-1].life.fault is Fault.GONE:
            raise Refused(
                "The drive of this plan is not at its place: plug it in again. Nothing was written."
            )

    def live(seed: int, script: Script = ()) -> list[str]:
        Clock.dice = Random(seed)
        day = Day(job, folder / f"seed{seed}", Random(seed), rules)
        now[:] = [day]
        try:
            day.begin(kept / "engine")
            day.goes_by(script)
        except (AssertionError, Exception) as error:
            story = "\n".join([f"{job.name}, seed {seed}:", *day.told])
            raise AssertionError(f"{error}\n{story}\nAgain: DISKWRIGHT_SEED={seed} tests/run loop") from error
        shutil.rmtree(day.run)
        return day.told

    with pytest.MonkeyPatch.context() as patched:
        for module in (exchange, rehearsed):
            patched.setattr(module, "save_record", save)
        patched.setattr(checks, "settle_record", lambda run: now[-1].shelf.settle(run))
        patched.setattr(rehearsed, "holding", holding)
        patched.setattr(rehearsed, "comparing", lambda run, _plan: _comparing(run, now[-1].drives))
        patched.setattr(rehearsed, "_check_drives", check_drives)
        patched.setattr(rehearsed, "finish", lambda work, **_: now[-1].finish())
        _patch_surroundings(patched, job)
        yield live


@contextmanager
def _comparing(run: Path, drives: Sequence[FaultyDrive]) -> Iterator[Checks]:
    one = Checks(run, drives)
    try:
        yield one
    finally:
        one.close()


def _patch_surroundings(patched: pytest.MonkeyPatch, job: Job) -> None:
    """Replace what a run asks of the machine, which does not have these drives."""
    plan = SimpleNamespace(
        devices=job.plan.devices,
        drives=(),
        tokens=("TOKEN",),
        members=job.plan.members,
        group=None,
        stripe=None,
        arrays=(),
        containers=(),
        part=0,
        part_path="",
    )
    patched.setattr("wizard.apply.run.runs.load_plan", lambda run: plan)
    patched.setattr("wizard.apply.run.runs.load_environment", lambda run: None)
    # All drives are attached.
    patched.setattr(rehearsed, "why_not", lambda check, *rest: why_not(check, *rest) if rest else "")
    patched.setattr(rehearsed, "_update_kernel", lambda plan, *, anew=True: None)
    patched.setattr(rehearsed, "discard", lambda places, drive, journal: None)
    patched.setattr(rehearsed, "noting", lambda run: lambda share: None)
    patched.setattr(
        run_summary,
        "waiting_sentence",
        lambda plan, name: f"`diskwright keep {name}` or `diskwright undo {name}`.",
    )
    patched.setattr("wizard.apply.run.journal.datetime", Clock)
    patched.setattr("wizard.apply.block.extents.MIB", CHUNK_BYTES)
    patched.setattr("os.fsync", lambda fd: None)
