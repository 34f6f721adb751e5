"""Cut the power of a job at a chosen moment, and continue from every state that this can leave."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import Power, PowerCut
from tests.simulator.drives import SimulatedDrive
from tests.simulator.jobs import Job
from tests.simulator.shelf import Shelf
from tests.simulator.states import Copies, Rules, digest, is_new, is_old
from wizard.apply.engine import checks, exchange
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import GOING_BACK, Phase, load_record
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.said import KIB

CHUNK_BYTES = 16 * KIB
"""Real chunks are 1 MiB, and what changes here is less than that."""

Act = Callable[[Exchange], None]


def commit(one: Exchange) -> None:
    one.commit(lambda share: None)


def keep(one: Exchange) -> None:
    """Keep the result, from any phase before."""
    if one.record.phase in (Phase.SAVED, Phase.CLEARING, Phase.REPLACING):
        commit(one)
    one.release(lambda share: None)


def undo(one: Exchange) -> None:
    one.undo(lambda share: None)


@contextmanager
def simulated(shelves: dict[Path, Shelf]) -> Iterator[None]:
    """Replace the record's folder, use small chunks, and skip waits for this machine's own disk."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exchange, "save_record", lambda run, record: shelves[run].save(run, record))
        patched.setattr(checks, "settle_record", lambda run: shelves[run].settle(run))
        patched.setattr("wizard.apply.block.extents.MIB", CHUNK_BYTES)
        patched.setattr("os.fsync", lambda fd: None)
        yield


@dataclass
class World:
    """The drives of a job and the run that changes them, at one moment."""

    job: Job
    run: Path
    shelves: dict[Path, Shelf]
    seed: int
    power: Power = field(default_factory=Power)
    drives: list[SimulatedDrive] = field(default_factory=list)

    @classmethod
    def of(cls, job: Job, folder: Path, shelves: dict[Path, Shelf]) -> "World":
        """Return the state before the first write. The run's data is in `folder`."""
        world = cls(job, folder / "run0", shelves, 0)
        world.run.mkdir()
        job.fill(world.run)
        world._shelf().put(job.record)
        world.drives = [SimulatedDrive.of(part, world.power, Random(0)) for part in job.parts]
        return world

    def _shelf(self) -> Shelf:
        self.shelves[self.run] = Shelf(self.run, self.power, Random(self.seed))
        return self.shelves[self.run]

    def copy(self, seed: int) -> "World":
        """Return a copy of the state after a reboot."""
        count = len(self.shelves)
        made = World(self.job, self.run.parent / f"run{count}", self.shelves, seed)
        made.run.mkdir()
        (made.run / "engine").symlink_to((self.run / "engine").resolve())
        record = load_record(self.run)
        assert record is not None
        made._shelf().put(record)
        made.drives = [
            SimulatedDrive.of(part, made.power, Random(f"{seed} {number}"), drive.content.written)
            for number, (part, drive) in enumerate(zip(self.job.parts, self.drives, strict=True))
        ]
        return made

    @property
    def cannot_undo(self) -> bool:
        """True if keep has begun to zero bytes that are not saved."""
        for part, drive in zip(self.job.parts, self.drives, strict=True):
            for number in part.numbers((part.change.witness,) if part.change.witness else ()):
                if drive.content.block(number) != part.old[number]:
                    return True
        return False

    @property
    def phase(self) -> Phase:
        record = load_record(self.run)
        assert record is not None
        return record.phase

    def does(self, act: Act, goes_at: int | None = None) -> bool:
        """Return True if the work finished before the power cut. Raises AssertionError if the program gave
        up."""
        self.power.goes_at, self.power.moments = goes_at, 0
        one = None
        try:
            one = Exchange(self.run, self.drives)
            act(one)
        except PowerCut:
            return False
        except DiskwrightError as error:
            raise AssertionError(
                f"{self.job.name}, {self.phase}: {act.__name__} is stuck: {error}"
            ) from error
        finally:
            if one is not None:
                one.close()
        return True

    def moments(self, act: Act) -> int:
        """Return the number of moments until the work finishes."""
        assert self.does(act)
        return self.power.moments

    def digest(self) -> bytes:
        return digest(self.drives, self.phase.encode())


@dataclass
class Tried:
    """Number of distinct states that power cuts left and that were continued."""

    rules: Rules
    copies: Copies
    every: int
    states: set[bytes] = field(default_factory=set)
    cuts: int = 0

    def look(self, world: World, what: str) -> None:
        """Check the rules in a state after a power cut."""
        self.cuts += 1
        found = world.digest()
        fault = self.rules.fault(world.drives)
        if not fault and found not in self.states and len(self.states) % self.every == 0:
            fault = self.copies.fault(world.drives, is_half=self.rules.is_half(world.drives))
        assert not fault, f"{what}, {world.phase}: {fault}"
        self.states.add(found)


def cut_everywhere(tried: Tried, begun: World, act: Act, round_number: int) -> None:
    """Cut the power of `act` at each moment, and continue in both directions, usually with a second cut.
    Rounds differ in lost cache blocks and in the second cut."""
    total = begun.copy(0).moments(act)
    for moment in range(total):
        seed = round_number * total + moment
        first = begun.copy(seed)
        what = (
            f"{first.job.name}: {act.__name__} from {first.phase}, cut at moment {moment} of {total} in "
            f"round {round_number}"
        )
        assert not first.does(act, moment), what
        tried.look(first, what)
        for way in _ways(first):
            _go_on(tried, first.copy(seed), way, what)


def _ways(world: World) -> tuple[Act, ...]:
    if world.cannot_undo:
        refuses_undo(world)
        return (keep,)
    return (undo,) if world.phase in GOING_BACK or world.phase is Phase.UNDONE else (keep, undo)


def refuses_undo(world: World) -> None:
    """Check that undo is refused."""
    with (
        closing(Exchange(world.run, world.drives)) as one,
        pytest.raises(Refused, match="can no longer restore"),
    ):
        undo(one)


def _go_on(tried: Tried, world: World, way: Act, what: str) -> None:
    """Continue in this direction to the end. Most runs have another power cut, and some then change
    direction."""
    dice = Random(f"{what} {way.__name__}")
    if dice.random() < 0.8 and not world.does(way, dice.randrange(60)):
        what = f"{what}, then {way.__name__} cut"
        tried.look(world, what)
        way = dice.choice(_ways(world)) if dice.random() < 0.3 else undo if world.phase in GOING_BACK else way
        if world.cannot_undo:
            way = keep
    assert world.does(way), what
    world_is = is_new if way is keep else is_old
    assert world_is(world.job, world.drives), f"{what}: {way.__name__} did not come to what it should"
    assert world.phase is (Phase.RELEASED if way is keep else Phase.UNDONE), what
