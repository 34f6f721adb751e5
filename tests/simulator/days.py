"""Days of a run from a seed: somebody gives commands, the power goes, programs are killed, disks are full,
others write to the drive."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from tests.exchanging import PowerCut
from tests.simulator.cuts import CHUNK_BYTES
from tests.simulator.drives import Sparse
from tests.simulator.faults import FOR_GOOD, Fault, FaultyDrive, Killed, Life, drawn
from tests.simulator.jobs import Job
from tests.simulator.shelf import Shelf
from tests.simulator.states import Rules, is_new, is_old
from wizard.apply.engine import exchange
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.engine.record import Phase, Record, load_record, power_sentence
from wizard.apply.engine.stores import Store, new_file, old_file
from wizard.apply.plan import rehearsed
from wizard.apply.run.journal import Journal
from wizard.apply.run.lock import lock_run
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.journal import Entry, Event
from wizard.model.said import Said

ENDS = (Phase.KEPT, Phase.UNDONE, Phase.LEFT)
CLAIMS = (Phase.BARRED, Phase.RELEASED, Phase.KEPT, Phase.UNDONE)
"""Phases that say what the drives hold."""
COMMANDS = ("resume", "keep", "undo", "undo --over-changes", "status")
Script = Sequence[tuple[str, Life]]
"""Commands, and what happens during each."""
WAY = re.compile(r"`diskwright (resume|keep|undo)[^`]*?( --over-changes)?`")
NO_WAY = re.compile(
    r"left to be done|Put its files back from a copy|undone already|it was kept|is not at|ive the command "
    r"again"
)


@dataclass
class Day:
    """One run on the drives of a job, from rehearsed to its end."""

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
    last_words: str = ""
    shelf: Shelf = field(init=False)

    def begin(self, kept: Path) -> None:
        """Just rehearsed. `kept` has what the run keeps."""
        (self.run / "engine").mkdir(parents=True)
        for file in kept.iterdir():
            os.link(file, self.run / "engine" / file.name)
        self.shelf = Shelf(self.run, self.life, self.dice)
        self.shelf.put(self.job.record)
        self._plug_in(self.life)

    def _plug_in(self, life: Life) -> None:
        """The drives are there, after a restart or not: what they had not written stays in their caches as
        long as they have power."""
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
        record = load_record(self.run)
        assert record is not None
        return record.phase

    def goes_by(self, script: Script = ()) -> None:
        """Things happen and commands are given, by the dice or a script; then nothing goes wrong any more,
        and it ends."""
        for what, life in script:
            self._command(what, life)
        for _ in range(0 if script else self.dice.randrange(1, 7)):
            self._happens()
            self._command(self._chosen(), drawn(self.dice))
            if self.phase in ENDS:
                break
        for _ in range(8):
            if self.phase in ENDS or self._hopeless:
                break
            self._command(self._chosen(follow=True), Life())
        else:
            raise AssertionError(f"stuck at {self.phase}: {self.last_words}")
        self._end()

    @property
    def _hopeless(self) -> bool:
        """What is kept is damaged, and no way can do without it, which it says."""
        return bool(self.damaged) and "Put its files back from a copy" in self.last_words

    def _chosen(self, *, follow: bool = False) -> str:
        """What is done next: mostly what the last words say."""
        ways = [f"{way[1]}{way[2] or ''}" for way in WAY.finditer(self.last_words)]
        if ways and (follow or self.dice.random() < 0.7):
            return self.dice.choice(ways)
        if follow:
            return self.dice.choice(("resume", "undo"))
        return self.dice.choices(COMMANDS, (4, 2, 3, 0, 1))[0]

    def _happens(self) -> None:
        """Between two commands."""
        what = self.dice.random()
        if what < 0.08:
            number = self.dice.randrange(len(self.drives))
            block = self.dice.choice(list(self.job.parts[number].old))
            data = self.dice.randbytes(self.job.parts[number].block_bytes)
            drive = self.drives[number]
            for offset, cached in drive.cached:
                drive.content[offset : offset + len(cached)] = cached
            drive.cached.clear()
            drive.content.written[block] = self.foreign[number, block] = data
            self.told.append(f"somebody writes block {block} of drive {number} at {self.phase}")
        elif what < 0.13 and not self.damaged:
            self._damage(self.dice.choice(("old", "new")))

    def _damage(self, which: str) -> None:
        part = self.job.parts[0]
        file = (old_file if which == "old" else new_file)(self.run, 0)
        if not file.exists():
            return
        self.told.append(f"the {which} bytes that are kept are damaged at {self.phase}")
        self.damaged.add(which)
        file.unlink()
        if self.dice.random() < 0.3:
            return
        bad = self.dice.choice(list(part.old))
        with Store(file, make_bytes=part.change.size_bytes) as store:
            for number, data in (part.old if which == "old" else part.new).items():
                store.write(
                    number * part.block_bytes, bytes(byte ^ 0x55 for byte in data) if number == bad else data
                )

    def _command(self, what: str, life: Life) -> None:
        """One command, during which something may go wrong."""
        self.told.append(f"{what} at {self.phase}, {life.fault} at {life.goes_at}")
        if life.fault is Fault.CUT or self.dice.random() < 0.2:
            life.beside = self._second_command
        self._plug_in(life)
        try:
            self.last_words = self._said(what)
        except (PowerCut, Killed) as end:
            self.last_words = power_sentence(self.phase, "the drive")
            if isinstance(end, Killed) and self.dice.random() < 0.5:
                with pytest.raises(PowerCut):
                    life.go()
        except DiskwrightError as error:
            self.last_words = str(error)
            assert WAY.search(self.last_words) or NO_WAY.search(self.last_words), (
                f"no way on is named: {self.last_words}"
            )
        self.told.append(f"    {self.phase}: {self.last_words}")
        self._holds()

    def _second_command(self) -> None:
        """Another command for the same run, while the first is under way."""
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
        if what == "resume":
            return rehearsed.carry_out(self.run, journal, lambda site: "", finished)[1]
        if what == "keep":
            rehearsed.check_keeps(self.run)
            return rehearsed.release(self.run, journal, finished)[1]
        rehearsed.check_takes_back(self.run)
        mark_over_changes(self.run, what != "undo")
        self.overwritten = self.overwritten or what != "undo"
        said = rehearsed.take_back(self.run, journal)
        assert self._is_old(), f"it said {said!r}"
        return said

    def _is_old(self) -> bool:
        return is_old(self.job, self.drives) or (
            self.phase is Phase.UNDONE and self._untouched and not self.overwritten
        )

    @property
    def _untouched(self) -> bool:
        """Whether only others wrote to the drives."""
        return all(
            (number, block) in self.foreign or data == self.job.parts[number].old[block]
            for number, drive in enumerate(self.drives)
            for block, data in drive.content.written.items()
        )

    def _holds(self) -> None:
        """What is so after every command."""
        # In the middle it is compared with both, so it is not seen where one of them is damaged.
        if not self.overwritten and not self.damaged:
            for (number, block), data in self.foreign.items():
                assert self.drives[number].content.block(block) == data, (
                    f"what somebody wrote to block {block} is gone"
                )
        if not self.foreign and not any(drive.cached for drive in self.drives):
            fault = self.rules.fault(self.drives)
            assert not fault, fault
        if self.phase is Phase.SAVED and not self.foreign:
            assert is_old(self.job, self.drives), "it says that nothing was written"
        if self.phase in (Phase.RELEASED, Phase.KEPT) and not self.foreign:
            assert is_new(self.job, self.drives), "it says that everything is in place"
        if self.phase is Phase.UNDONE:
            assert self._is_old(), "it says that everything is back"

    def _end(self) -> None:
        """It is over; nothing of it is left but what the drives are to hold."""
        assert self.phase in ENDS or self._hopeless, f"{self.phase}: {self.last_words}"


class FullJournal(Journal):
    """A journal on a disk that is full now and then."""

    def __init__(self, run: Path, life: Life) -> None:
        super().__init__(run)
        self._life = life

    def add(
        self,
        event: Event,
        sentence: Said | str,
        *,
        step: int = 0,
        command: Sequence[str] = (),
        output: str = "",
    ) -> Entry:
        self._life.moment()
        if self._life.fails(Fault.JOURNAL):
            raise Failed("The journal cannot be written: no room in it. Give the command again.")
        return super().add(event, sentence, step=step, command=command, output=output)


def finished() -> tuple[Event, str]:
    return Event.DONE, "It is set up."


class Clock:
    """It jumps by years, in both directions."""

    dice = Random(0)

    @classmethod
    def now(cls, zone: tzinfo | None = None) -> datetime:
        return datetime(2026, 1, 1, tzinfo=zone or UTC) + timedelta(days=cls.dice.randrange(-9000, 9000))


@contextmanager
def days_on(job: Job, folder: Path) -> Iterator[Callable[[int, Script], list[str]]]:
    """Gives what lives through the days of a seed, or of a script, and tells what happened."""
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
                f"How far the run is could not be written to {run}: No space left on device. Give the "
                "command again."
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
        day = Day(job, folder / f"seed{seed}-{len(now)}", Random(seed), rules)
        now.append(day)
        try:
            day.begin(kept / "engine")
            day.goes_by(script)
        except (AssertionError, Exception) as error:
            story = "\n".join([f"{job.name}, seed {seed}:", *day.told])
            raise AssertionError(f"{error}\n{story}\nAgain: DISKWRIGHT_SEED={seed} tests/run loop") from error
        return day.told

    with pytest.MonkeyPatch.context() as patched:
        for module in (exchange, rehearsed):
            patched.setattr(module, "save_record", save)
        patched.setattr(exchange, "settle_record", lambda run: now[-1].shelf.settle(run))
        patched.setattr(rehearsed, "holding", holding)
        patched.setattr(
            rehearsed,
            "load_plan",
            lambda run: SimpleNamespace(
                paths=job.plan.paths,
                members=job.plan.members,
                group=None,
                stripe=None,
                containers=(),
                part=0,
                part_path="",
            ),
        )
        patched.setattr(rehearsed, "load_environment", lambda run: None)
        patched.setattr(rehearsed, "_check_drives", check_drives)
        patched.setattr(rehearsed, "_tell", lambda plan: None)
        patched.setattr(rehearsed, "discard", lambda places, drive, journal: None)
        patched.setattr(rehearsed, "noting", lambda run: lambda share: None)
        patched.setattr(
            rehearsed,
            "waiting_sentence",
            lambda plan, name: f"`diskwright keep {name}` or `diskwright undo {name}`.",
        )
        patched.setattr("wizard.apply.run.journal.datetime", Clock)
        patched.setattr("wizard.apply.block.extents.MIB", CHUNK_BYTES)
        patched.setattr("os.fsync", lambda fd: None)
        yield live
