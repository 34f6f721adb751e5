"""To ext4, step 2: the ways there are for this filesystem, side by side."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from wizard.migrate.carry import can_be_carried
from wizard.migrate.told.ways import COMPARED, TITLES, is_damaged, offer_of, room_words, time_words
from wizard.model.carried import Carried
from wizard.model.errors import DiskwrightError
from wizard.model.finding import Severity
from wizard.model.migration import Migration, Offer, Prospect, Way
from wizard.model.names import printable
from wizard.model.units import roughly
from wizard.services.session import Moving, Next
from wizard.tui.carrying import save_carried
from wizard.tui.dialogs.explained import WIDE
from wizard.tui.dialogs.questions import AskFolder, AskVolume
from wizard.tui.migrating import MovingStep, SideBySide, offer_blocks
from wizard.tui.rooting import has_root
from wizard.tui.text.describe import finding_blocks
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

LOOKING = "Looking at the filesystem; nothing is written by that .."
PLANNING = "Looking once more, and planning .."
SEVERE = (Severity.DANGER, Severity.WARNING)


@dataclass
class Looked(Message):
    """What can be done is known, and how long comparing would take."""

    prospect: Prospect
    comparing_seconds: float


@dataclass
class Planned(Message):
    """The way has its steps."""

    migration: Migration


@dataclass
class Carrying(Message):
    """The way can be carried."""

    carried: Carried


@dataclass
class Hindered(Message):
    """Something stands against it."""

    sentence: str


class WaysScreen(MovingStep):
    """The ways in a list; below it each with gains, costs, time, room and the way back: side by side where
    there is room."""

    NUMBER = 2
    TITLE = "Ways"
    INTRO = LOOKING
    HELP = """
Each line of the list is a way from this filesystem to ext4 that keeps every file. What it gains and costs,
how long it takes, how much room it needs elsewhere and how it is undone stands below; in a wide terminal the
ways stand side by side.

Proposed: what fits this filesystem best; the sentence above the list says why. A way that is not possible
here says what stands against it.

Extent: ext4 notes a file as a few runs of blocks, ext3 every single block. Large files are read and deleted
faster.

Inode: what the filesystem keeps of one file: owner, times, where its blocks are. Inodes of 256 bytes have
room for dates past 2038.

Comparing: c switches on that every file is read before and after, and compared. It is the best proof there
is, and takes the time that is said.

Folder: f names another folder for what a way needs room for. It must be on another filesystem than this one.

Target: t names the volume on which a fresh ext4 would be made. It must hold nothing.

Carrying: where the filesystem is in use, as the root of the running system is, w writes the way down as a
plan to be carried to a rescue medium, and says what to do with it there.

Repairing: x allows that damage is repaired, where the filesystem says that it is damaged.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "compare", show=False, id="ways.compare"),
        Binding("f", "folder", show=False, id="ways.folder"),
        Binding("t", "target", show=False, id="ways.target"),
        Binding("x", "repair", show=False, id="ways.repair"),
        Binding("w", "carry", show=False, id="ways.carry"),
        Binding("r", "again", show=False, id="ways.again"),
    ]

    def body(self) -> ComposeResult:
        """The list, what is settled besides, and everything said of the ways."""
        yield Rows(
            Column("Way"),
            Column("Takes", right=True),
            Column("Room elsewhere", right=True),
            Column("Here", flexible=True),
            id="moving-ways",
        )
        yield Prose(id="besides")
        yield Prose(classes="rule")
        yield Words(id="said")

    def begin(self) -> None:
        """Look at the filesystem; what was settled before stays."""
        self._chosen = self.moving
        self._waiting = False
        self.query_one(Rows).focus()
        self.action_again()

    def keys(self) -> Pairs:
        """Choosing, and what can be settled besides."""
        again: Pairs = (("r", "again"),)
        prospect = self._chosen.prospect
        if prospect is None:
            return again
        repair: Pairs = (("x", "repair"),) if is_damaged(prospect.before) else ()
        carry: Pairs = (("w", "carry"),) if can_be_carried(prospect) else ()
        return (
            ("Up/Down", "choose"),
            ("Enter", "preview"),
            ("c", "compare"),
            *repair,
            *carry,
            ("f", "folder"),
            ("t", "target"),
            ("Tab", "text"),
            *again,
        )

    def action_again(self) -> None:
        """Look at the filesystem once more."""
        if self._waiting:
            return
        drive, chosen = self.session.drive, self._chosen
        assert drive is not None
        self.say("" if chosen.prospect is None else LOOKING)

        self._try(lambda: Looked(*self.services.migration_prospect(drive, chosen)))

    def _try(self, work: Callable[[], Message]) -> None:
        """In a thread, one at a time: what comes of it, or what stands against it. Root may have gone since
        it was asked for."""
        if not has_root(self):
            return
        self._waiting = True

        def guarded() -> None:
            try:
                done = work()
            except DiskwrightError as error:
                done = Hindered(str(error))
            if self.is_attached:
                self.post_message(done)

        self.in_background(guarded)

    def after_crash(self) -> None:
        """r looks again."""
        self._waiting = False

    @on(Looked)
    def looked(self, message: Looked) -> None:
        """Fill the list; the proposed way is highlighted first, or the one that was taken before."""
        self._waiting = False
        self.say("")
        prospect = message.prospect
        self._chosen = replace(self._chosen, prospect=prospect, comparing_seconds=message.comparing_seconds)
        self.session = replace(self.session, moving=self._chosen)
        rows = self.query_one(Rows)
        select = None if rows.rows else (self._chosen.way or prospect.default)
        rows.set_rows(
            [_row(offer, prospect.default) for offer in prospect.offers], select.value if select else None
        )
        said = "Proposed" if prospect.default else "No way is possible now"
        self.query_one("#intro", Prose).update(
            Text(f"{said}: ", "bold").append(printable(prospect.why, 400), "not bold")
        )
        self.draw_head()
        self._draw()

    @on(Planned)
    def planned(self, message: Planned) -> None:
        """On to the preview."""
        self._waiting = False
        moving = replace(self._chosen, way=message.migration.way, migration=message.migration)
        self.dismiss(Next(replace(self.session, moving=moving)))

    @on(Hindered)
    def hindered(self, message: Hindered) -> None:
        """Say it; without any prospect the page says it, too."""
        self._waiting = False
        if self._chosen.prospect is None:
            self.query_one("#intro", Prose).update("The ways to ext4 cannot be shown.")
            self.query_one("#said", Words).show([para(printable(message.sentence, 1000), "yellow")])
        else:
            self.say(message.sentence, "yellow")
        self.draw_keys()
        self.leave_if_gone()

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Say everything of it."""
        self._draw()

    def on_resize(self) -> None:
        """Side by side or one at a time."""
        super().on_resize()
        self._draw()

    def action_compare(self) -> None:
        """Comparing every file, or not."""
        self._settle(replace(self._chosen, compares=not self._chosen.compares))

    def action_repair(self) -> None:
        """Repairing damage, or not."""
        if (prospect := self._chosen.prospect) is not None and is_damaged(prospect.before):
            self._settle(replace(self._chosen, repairs=not self._chosen.repairs))

    def action_folder(self) -> None:
        """Another folder for what needs room."""
        if self._chosen.prospect is None or self._waiting:
            return

        def named(name: str | None) -> None:
            if name is not None:
                self._settle(replace(self._chosen, folder=Path(name) if name else None))
                self.action_again()

        text = (
            "A folder on another filesystem than this one, with room for what the way needs; only root "
            "should be able to write to it. An empty line takes the usual one."
        )
        self.app.push_screen(
            AskFolder("Where may room be taken?", text, str(self._chosen.folder or "")), named
        )

    def action_target(self) -> None:
        """The volume for a fresh ext4."""
        if self._chosen.prospect is None or self._waiting:
            return

        def named(name: str | None) -> None:
            if name:
                self._settle(replace(self._chosen, target=name))
                self.action_again()

        text = (
            "A partition or volume that holds nothing and is large enough for every file. Nothing is written "
            "to it yet."
        )
        self.app.push_screen(
            AskVolume("Where is the fresh ext4 to be made?", text, self._chosen.target or ""), named
        )

    def action_carry(self) -> None:
        """Write the highlighted way down for a rescue medium, where the filesystem is in use."""
        offer, drive, prospect = self._offer, self.session.drive, self._chosen.prospect
        if offer is None or prospect is None or self._waiting or not can_be_carried(prospect):
            return
        assert drive is not None
        asked = replace(self._chosen, way=offer.way)
        self.say(LOOKING)
        self._try(lambda: Carrying(self.services.carry_migration(drive, asked)))

    @on(Carrying)
    def carrying(self, message: Carrying) -> None:
        """Ask for a file; what to do with it stands below the ways then."""
        self._waiting = False
        self.say("")
        save_carried(self, message.carried, lambda blocks: self.query_one("#said", Words).show(blocks))

    def _settle(self, chosen: Moving) -> None:
        self._chosen = chosen
        self.session = replace(self.session, moving=chosen)
        self._draw()

    @property
    def _offer(self) -> Offer | None:
        row, prospect = self.query_one(Rows).current, self._chosen.prospect
        return offer_of(prospect, Way(row.key)) if row and prospect else None

    def action_next(self) -> None:
        """Plan the highlighted way, unless something stands against it."""
        offer = self._offer
        if offer is None or self._waiting:
            self.say(
                "The filesystem is still being looked at; a moment."
                if self._waiting
                else "There is no way to choose."
            )
            return
        if offer.obstacle and not self._chosen.repairs:
            self.say(f"{TITLES[offer.way]} is not possible here: {offer.obstacle}", "yellow")
            return
        if offer.way is Way.FRESH and self._chosen.target is None:
            self.action_target()
            return
        drive, asked = self.session.drive, replace(self._chosen, way=offer.way)
        assert drive is not None
        self.say(PLANNING)
        self._try(lambda: Planned(self.services.plan_migration(drive, asked)))

    def _draw(self) -> None:
        prospect, offer = self._chosen.prospect, self._offer
        if prospect is None or offer is None:
            return
        self.query_one("#besides", Prose).update(self._besides(offer))
        severe = [finding for finding in prospect.findings if finding.severity in SEVERE]
        others = [finding for finding in prospect.findings if finding.severity not in SEVERE]
        blocks: list[Block] = [*finding_blocks(severe), gap()] if severe else []
        if self.size.width >= WIDE:
            blocks.append(SideBySide(prospect, offer.way.value))
        else:
            blocks += offer_blocks(offer, proposed=offer.way is prospect.default)
        if others:
            blocks += [gap(), para("About this filesystem", "bold"), *finding_blocks(others)]
        self.query_one("#said", Words).show(blocks)
        self.draw_keys()

    def _besides(self, offer: Offer) -> Text:
        """What is settled beside the way, in one line."""
        assert self._chosen.prospect is not None
        if offer.way not in COMPARED:
            said = ["The way itself compares." if offer.way is Way.FRESH else "There is nothing to compare."]
        elif self._chosen.compares:
            said = [
                f"Every file is compared before and after: {roughly(self._chosen.comparing_seconds)} (an "
                "estimate)."
            ]
        else:
            said = ["Files are not compared one by one."]
        if is_damaged(self._chosen.prospect.before):
            said.append("Damage may be repaired." if self._chosen.repairs else "Damage is not repaired.")
        if self._chosen.folder is not None:
            said.append(f"Room is taken in {printable(str(self._chosen.folder), 60)}.")
        if self._chosen.target is not None and offer.way is Way.FRESH:
            said.append(f"It is made on {printable(self._chosen.target, 60)}.")
        return Text(" ".join(said))


def _row(offer: Offer, default: Way | None) -> Row:
    """Grey where it cannot be had."""
    here = "not possible" if offer.obstacle else "proposed" if offer.way is default else "possible"
    ink = "dim" if offer.obstacle else "green" if offer.way is default else ""
    cells = (f"{TITLES[offer.way]} ({offer.way.value})", time_words(offer), room_words(offer), here)
    return Row(offer.way.value, tuple(Text(cell, ink) for cell in cells))
