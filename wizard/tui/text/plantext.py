"""A plan as text and bars, in colours; the words are the layout room's."""

from rich.text import Text

from wizard.layout.several.mirrors import mirror_note
from wizard.layout.steps.shown import told_as_direct
from wizard.layout.told.inside import inside_sentences
from wizard.layout.told.losses import losses, undo_ways
from wizard.layout.told.preview import ASCII, Glyphs, State, bar, danger_of, layout_lines, together_words
from wizard.layout.told.promise import WayBackRoom, lost_when, promise
from wizard.layout.told.text import command_lines
from wizard.model.identity import Identity
from wizard.model.names import printable
from wizard.model.plan import Layout, Plan, Step
from wizard.model.units import format_capacity, roughly
from wizard.tui.widgets.words import Block, gap, para

SHADES = Glyphs(kept="▒", new="█", removed="░", free=".", unread="?", edge="│")
"""Shades, full block and single line are in Debian's console fonts and in code page 437."""
NOTHING_OF_ROOM = WayBackRoom()
INKS = {
    State.KEPT: "cyan",
    State.NEW: "green",
    State.REMOVED: "red",
    State.FREE: "default",
    State.UNREAD: "yellow",
}


def plan_blocks(
    plan: Plan, *, why_direct: str = "", room: WayBackRoom = NOTHING_OF_ROOM, ascii_only: bool = False
) -> list[Block]:
    """The whole preview. `why_direct` is why no stand-in can be had on this machine, as a clause; `room` is
    what is known of the room for the way back."""
    plan = told_as_direct(plan, why_direct)
    glyphs = ASCII if ascii_only else SHADES
    total = sum(step.seconds for step in plan.steps)
    count = len(plan.steps)
    blocks: list[Block] = [*spread_blocks(plan)]
    blocks += [gap()] if blocks else []
    for member in plan.members:
        size_bytes = member.drive.size_bytes
        blocks += [para(member.drive.path, "bold")] if plan.others else []
        blocks += [
            _Drawn(member.before, size_bytes, glyphs, after=False),
            gap(),
            _Drawn(member.after, size_bytes, glyphs, after=True),
            gap(),
        ]
    if together := together_words(plan):
        blocks += [para(together, hang=2), gap()]
    blocks += [
        *(para(sentence, hang=2) for sentence in inside_sentences(plan)),
        para(printable(promise(plan, why_direct), 1000)),
        *room_blocks(room),
        gap(),
        para(f"{count} step{'s' * (count != 1)}, {roughly(total)} (an estimate)", "bold"),
    ]
    for number, step in enumerate(plan.steps, 1):
        blocks += [gap(), *step_blocks(number, step)]
    if plan.doubts:
        blocks += [
            gap(),
            para("In doubt", "bold"),
            *(para("- " + printable(doubt, 600), indent=2, hang=2) for doubt in plan.doubts),
        ]
    return blocks


def room_blocks(room: WayBackRoom) -> list[Block]:
    """How much room the way back takes."""
    return [para(room.sentence, "" if room.fits else "yellow")] if room.sentence else []


def step_blocks(number: int, step: Step) -> list[Block]:
    """One step with its commands, what it destroys, and how it is undone."""
    blocks: list[Block] = [para(f"{number}. {printable(step.sentence, 400)}", "bold", hang=3)]
    for argv in step.commands:
        blocks.append(CommandLines(argv))
    blocks += [para(printable(edit, 4000), "cyan", indent=5, hang=2) for edit in step.edits]
    if step.destroys:
        blocks.append(
            para(
                Text("Destroys: ", "red").append(printable(step.destroys, 4000), "default"), indent=3, hang=2
            )
        )
    blocks.append(para(f"Undo: {printable(step.undo, 4000)}", indent=3, hang=2))
    if step.seconds >= 1:
        blocks.append(para(f"Takes {roughly(step.seconds)} (an estimate).", indent=3))
    return blocks


def loss_blocks(plan: Plan, *, why_direct: str = "") -> list[Block]:
    """What is lost, what cannot be undone, and what can. `why_direct` is as in `plan_blocks`."""
    blocks: list[Block] = [*(para(_drive_words(member.drive), hang=7) for member in plan.members), gap()]
    lost = losses(plan)
    if lost:
        blocks.append(para(f"What is destroyed{lost_when(plan, why_direct)}", "bold red"))
        blocks += [para(f"- {loss}", hang=2) for loss in lost]
    else:
        blocks.append(para(f"Nothing that is on the drive{'s' * bool(plan.others)} is destroyed.", "green"))
    blocks += [
        gap(),
        para("What can be undone, and what cannot", "bold"),
        para(printable(promise(plan, why_direct), 1000)),
    ]
    return [*blocks, *(para(way, hang=2) for way in undo_ways(told_as_direct(plan, why_direct)))]


def _drive_words(drive: Identity) -> str:
    serial = f"serial {printable(drive.serial, 40)}" if drive.serial else "no serial number"
    return (
        f"Drive: {drive.path}, {printable(drive.model or 'no name', 60)}, "
        f"{format_capacity(drive.size_bytes)}, {serial}"
    )


def bars(plan: Plan, *, ascii_only: bool = False) -> list[Block]:
    """Only the two bars of each drive."""
    glyphs = ASCII if ascii_only else SHADES
    blocks: list[Block] = []
    for member in plan.members:
        blocks += [para(member.drive.path, "bold")] if plan.others else []
        drawn = ((member.before, False), (member.after, True))
        blocks += [
            _Drawn(layout, member.drive.size_bytes, glyphs, after=after, brief=True)
            for layout, after in drawn
        ]
    return blocks


def spread_blocks(plan: Plan) -> list[Block]:
    """What comes first of a volume over several drives: its danger, or what a mirror is not."""
    said = [Text("Danger: ", "red").append(danger, "default")] if (danger := danger_of(plan)) else []
    return [*map(para, said), *([para(note)] if (note := mirror_note(plan)) else [])]


class CommandLines:
    """A command as it can be copied; wrapped lines end in a backslash."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        self.argv = argv

    def __call__(self, width: int) -> list[Text]:
        """The lines for a width."""
        return [Text(line, "cyan") for line in command_lines(self.argv, max(40, width), indent=5)]


class _Drawn:
    """A layout: its table, the bar to scale, and a line for each stretch."""

    def __init__(
        self, layout: Layout, drive_size_bytes: int, glyphs: Glyphs, *, after: bool, brief: bool = False
    ) -> None:
        self.brief = brief
        self.layout, self.size_bytes, self.glyphs, self.after = layout, drive_size_bytes, glyphs, after

    def __call__(self, width: int) -> list[Text]:
        width = max(40, width)
        cells = bar(self.layout, self.size_bytes, width, self.glyphs, after=self.after)
        drawn = Text()
        for cell in cells:
            drawn.append(cell.text, INKS[cell.state])
        lines: list[Text] = []
        for line in layout_lines(self.layout, self.size_bytes, width, self.glyphs, after=self.after):
            if line == drawn.plain:
                lines.append(drawn)
                if self.brief:
                    return lines
            elif not lines:
                lines.append(Text(line, "bold"))
            else:
                lines.append(self._legend(line))
        return lines

    def _legend(self, line: str) -> Text:
        text = Text(line)
        state = next((state for state in State if line.startswith(self.glyphs.fill(state) + " ")), None)
        if state:
            text.stylize(INKS[state], 0, 1)
        return text
