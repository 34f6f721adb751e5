"""What the steps share that lead a filesystem to ext4 with its files kept: their bar, and a migration as
text."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from wizard.migrate.told.ways import MEANS, SUMMARIES, how_sentences, place_words, title_words
from wizard.model.migration import Migration, MigrationStep, Offer, Prospect
from wizard.model.names import printable
from wizard.model.units import roughly
from wizard.services.session import Moving
from wizard.tui.step import StepScreen
from wizard.tui.text.plantext import CommandLines
from wizard.tui.widgets.words import Block, Paragraph, gap, para, wrapped

STEPS = 6
BETWEEN_COLUMNS = 2
LONGEST = 1000
"""Characters of one sentence that are shown."""


class MovingStep(StepScreen):
    """A step of the walk on which files are kept."""

    OF = STEPS
    WALK: ClassVar[str] = "To ext4, step"

    @property
    def moving(self) -> Moving:
        """What is migrated."""
        assert self.session.moving is not None
        return self.session.moving

    @property
    def migration(self) -> Migration:
        """What was planned."""
        assert self.moving.migration is not None
        return self.moving.migration

    def _drive_words(self) -> tuple[str, ...]:
        """The filesystem, from many words to few."""
        prospect, device = self.moving.prospect, printable(self.moving.device, 200)
        return (place_words(prospect), f"{device} {prospect.before.kind}", device) if prospect else (device,)


def offer_blocks(offer: Offer, *, proposed: bool) -> list[Block]:
    """One way with all that is said of it, but for its time and its room, which stand in the list of ways."""
    blocks: list[Block] = [
        para(Text(title_words(offer), "bold").append("  proposed" if proposed else "", "green"))
    ]
    if offer.obstacle:
        blocks.append(
            para(
                Text("Not possible here: ", "yellow").append(printable(offer.obstacle, LONGEST), "default"),
                hang=2,
            )
        )
    blocks.append(para(SUMMARIES[offer.way]))
    for caption, text in (("Undone", printable(offer.undone, LONGEST)), ("How", MEANS[offer.means])):
        blocks.append(para(Text(f"{caption}: ", "bold").append(text, "not bold"), hang=2))
    return blocks + _listed("Costs", offer.costs) + _listed("Gains", offer.gains)


def _listed(caption: str, sentences: Sequence[str]) -> list[Block]:
    if not sentences:
        return []
    return [
        para(caption, "bold"),
        *(para(f"- {printable(sentence, LONGEST)}", hang=2) for sentence in sentences),
    ]


class SideBySide:
    """Every way in a column of its own; the highlighted one has `>` before its name, those that cannot be had
    are dim."""

    def __init__(self, prospect: Prospect, highlighted: str) -> None:
        self._prospect, self._highlighted = prospect, highlighted

    def __call__(self, width: int) -> list[Text]:
        """The lines for a width."""
        offers = self._prospect.offers
        room = max(12, (width - BETWEEN_COLUMNS * (len(offers) - 1)) // max(1, len(offers)))
        columns = [self._column(offer, room) for offer in offers]
        height = max(map(len, columns), default=0)
        return [
            _joined([column[line] if line < len(column) else Text() for column in columns], room)
            for line in range(height)
        ]

    def _column(self, offer: Offer, room: int) -> list[Text]:
        lines: list[Text] = []
        for number, block in enumerate(offer_blocks(offer, proposed=offer.way is self._prospect.default)):
            assert isinstance(block, Paragraph)
            if number == 0:
                mark = "> " if offer.way.value == self._highlighted else "  "
                block = para(Text(mark, "bold").append_text(block.text), hang=2)
            lines += wrapped(block, room)
        if offer.obstacle:
            for line in lines:
                line.stylize("dim")
        return lines


def _joined(cells: Sequence[Text], room: int) -> Text:
    line = Text()
    for number, cell in enumerate(cells):
        line.append_text(cell)
        if number < len(cells) - 1:
            line.append(" " * (room - cell.cell_len + BETWEEN_COLUMNS))
    line.rstrip()
    return line


def migration_blocks(migration: Migration) -> list[Block]:
    """The whole preview."""
    total, count = sum(step.seconds for step in migration.steps), len(migration.steps)
    blocks: list[Block] = [*_listed("What it brings", migration.gains), gap()]
    blocks += [para(sentence, hang=2) for sentence in how_sentences(migration)]
    blocks += [gap(), para(f"{count} step{'s' * (count != 1)}, {roughly(total)} (an estimate)", "bold")]
    for number, step in enumerate(migration.steps, 1):
        blocks += [gap(), *_step_blocks(number, step)]
    if migration.doubts:
        blocks += [
            gap(),
            para("Good to know, and in doubt", "bold"),
            *(para(f"- {printable(doubt, LONGEST)}", hang=2) for doubt in migration.doubts),
        ]
    return blocks


def _step_blocks(number: int, step: MigrationStep) -> list[Block]:
    """One step with its commands, how it is undone, what a power cut would leave, and what is checked."""
    blocks: list[Block] = [para(f"{number}. {printable(step.sentence, LONGEST)}", "bold", hang=3)]
    blocks += [CommandLines(argv) for argv in step.commands]
    blocks += [para(printable(edit, 4000), "cyan", indent=5, hang=2) for edit in step.edits]
    said = [
        ("Undo", step.undo),
        ("If the power goes", step.power),
        *(("Checked", check) for check in step.holds),
    ]
    blocks += [
        para(f"{caption}: {printable(text, LONGEST)}", indent=3, hang=2) for caption, text in said if text
    ]
    if step.seconds >= 1:
        blocks.append(para(f"Takes {roughly(step.seconds)} (an estimate).", indent=3))
    return blocks
