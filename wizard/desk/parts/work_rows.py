"""What a run checked, as it is shown."""

from collections.abc import Iterator

from wizard.desk.places.words import work as words
from wizard.desk.view import Block, Piece, Tone, para
from wizard.model.journal import Entry, Event
from wizard.model.names import printable


def check_blocks(entry: Entry) -> Iterator[Block]:
    """A check, and what was seen where it does not hold."""
    holds = entry.event is Event.VERIFIED
    mark = Piece("[x]", Tone.GOOD) if holds else Piece("[!]", Tone.DANGER)
    yield para(mark, printable(entry.sentence, 400), hang=4)
    if not holds and entry.output.strip():
        yield para(words.SEEN(seen=printable(entry.output.strip(), 400)), indent=4, hang=2)
