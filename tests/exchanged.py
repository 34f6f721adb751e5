"""Tests of the engine: a run over drives in memory, one step of the exchange at a time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from msgspec.structs import replace

from tests.exchanging import Power, PowerCut, VolatileDrive
from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature, save_record
from wizard.apply.engine.stores import FOLDER, Store, digest_of, hidden_reader, new_file, old_file
from wizard.model.machine import Extent
from wizard.model.said import KIB

SIZE, BLOCK = 16 * KIB, 512
PLACES = (Extent(0, SIZE),)

Act = Callable[[Exchange], None]


def commit(one: Exchange) -> None:
    one.commit(lambda share: None)


def keep(one: Exchange) -> None:
    one.release(lambda share: None)


def undo(one: Exchange) -> None:
    one.undo(lambda share: None)


class Drives:
    """A run over drives with one pattern before and another after. `marks`: these blocks, the deciding one
    last. Blocks `alike` are equal before and after. `zeros`: zeroed when the run is kept."""

    def __init__(
        self,
        run: Path,
        marks: Sequence[tuple[Sequence[int], Sequence[int]]],
        alike: Sequence[tuple[int, int]] = (),
        power: Power | None = None,
        zeros: Extent | None = None,
    ) -> None:
        self.run = run
        (run / FOLDER).mkdir(parents=True)
        self.old = [Random(17 + number).randbytes(SIZE) for number in range(len(marks))]
        self.new = [Random(117 + number).randbytes(SIZE) for number in range(len(marks))]
        for number, block in alike:
            place = slice(block * BLOCK, (block + 1) * BLOCK)
            new = bytearray(self.new[number])
            new[place] = self.old[number][place]
            self.new[number] = bytes(new)
        self.marks, self.zeros = marks, zeros
        if zeros:
            before, after = slice(zeros.start_bytes), slice(zeros.end_bytes, None)
            self.new = [data[before] + bytes(zeros.size_bytes) + data[after] for data in self.new]
        changes = tuple(self._change(number) for number in range(len(marks)))
        save_record(run, Record(Phase.SAVED, changes))
        self.power = power or Power()
        self.drives = [
            VolatileDrive(bytearray(old), self.power, Random(f"{run.name} {number}"))
            for number, old in enumerate(self.old)
        ]

    def _change(self, number: int) -> DriveChange:
        old_marks, new_marks = (
            tuple(SavedSignature(at * BLOCK, BLOCK) for at in each) for each in self.marks[number]
        )
        for file, data in (
            (old_file(self.run, number), self.old[number]),
            (new_file(self.run, number), self.new[number]),
        ):
            with Store(file, make_bytes=SIZE) as store:
                store.write(0, data)
        zeros = (self.zeros,) if self.zeros else ()
        places = tuple(piece for place in PLACES for piece in place.without(zeros))
        draft = DriveChange(f"/dev/sd{number}", SIZE, places, old_marks, new_marks, "", "", "", False)
        with Store(old_file(self.run, number)) as old, Store(new_file(self.run, number)) as new:
            return replace(
                draft,
                old_digest=digest_of(places, old.read),
                new_digest=digest_of(places, new.read),
                barred_digest=digest_of(places, hidden_reader(draft, old.read, new.read, b"")),
                zeros=zeros,
                witness=self.zeros and Extent(self.zeros.start_bytes, BLOCK),
            )

    def does(self, act: Act, goes_at: int | None = None) -> bool:
        """Return True if the work finished before the power cut."""
        self.power.goes_at, self.power.moments = goes_at, 0
        one = Exchange(self.run, self.drives)
        try:
            act(one)
        except PowerCut:
            return False
        finally:
            one.close()
        return True

    def shows(self, number: int, block: int) -> bool:
        """Return True if a block on the medium is as planned."""
        place = slice(block * BLOCK, (block + 1) * BLOCK)
        return bytes(self.drives[number].content[place]) == self.new[number][place]

    def is_new(self, number: int) -> bool:
        return bytes(self.drives[number].content) == self.new[number]

    def is_old(self, number: int) -> bool:
        return bytes(self.drives[number].content) == self.old[number]
