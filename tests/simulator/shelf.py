"""Storage of a run's record: a file replaced in steps. Power or program can fail between them."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.exchanging import Power
from wizard.apply.engine.record import FILE, SCHEMA, Record
from wizard.documents.codec import render_document, to_json


@dataclass
class Shelf:
    """The folder of one run. `lasting`: the record that certainly survives a power cut."""

    run: Path
    power: Power
    dice: Random
    lasting: bytes = b""

    def __post_init__(self) -> None:
        self.power.lost_with_it.append(self._lose)

    def put(self, record: Record) -> None:
        """Write directly to the medium."""
        (self.run / FILE).write_bytes(text_of(record))
        self.lasting = text_of(record)

    def save(self, run: Path, record: Record) -> None:
        """Run `save_record` step by step."""
        assert run == self.run
        text, new = text_of(record), run / f"{FILE}.new"
        self.power.moment()
        new.write_bytes(text[: len(text) // 2])
        self.power.moment()
        new.write_bytes(text)
        self.power.moment()
        new.rename(run / FILE)
        self.power.moment()
        self.settle(run)
        self.power.moment()

    def settle(self, run: Path) -> None:
        """Run `settle_record`: afterwards the name certainly refers to the new record."""
        if (run / FILE).exists():
            self.lasting = (run / FILE).read_bytes()

    def _lose(self) -> None:
        """Cut the power: a rename may be lost before fsync of the folder."""
        if not (self.run / FILE).exists() or not self.lasting:
            return
        if self.dice.random() < 0.5:
            (self.run / FILE).write_bytes(self.lasting)
        else:
            self.lasting = (self.run / FILE).read_bytes()


def text_of(record: Record) -> bytes:
    """Return a record as stored in its file."""
    return render_document(SCHEMA, to_json(record)).encode()
