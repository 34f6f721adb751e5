"""The page's part on the plan: the drives before and after, to scale, and every step with all that is known
of it."""

from collections.abc import Sequence

from wizard.layout.moving.told import preview, step_sentences
from wizard.layout.room.space import content_of
from wizard.layout.several.mirrors import mirror_note
from wizard.layout.told.inside import inside_sentences
from wizard.layout.told.preview import Cell, State, bar, danger_of, state_of
from wizard.layout.told.promise import promise
from wizard.layout.words import who
from wizard.model.documents.changes import Changes, ChangeStep
from wizard.model.documents.migration import Migration, MigrationStep
from wizard.model.documents.move import Moves
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.plan import Layout, Member, Plan, Slot, Step
from wizard.model.said import Said, Sentence, t
from wizard.model.units import format_capacity, format_duration, format_exact
from wizard.report.charts import Stretch, stretches
from wizard.report.markup import Content, Markup, commands, join, listed, pairs, paragraphs, table, tag, word

PARTS = 250
"""Into how many parts a drive is cut for drawing: a partition takes at least one of them."""

TABLES = {
    "none": Sentence("no partition table"),
    "unread": Sentence("not read"),
    "mbr": Sentence("an MBR table"),
    "gpt": Sentence("a GPT table"),
}


def plan_part(plan: Plan) -> Markup:
    """Layouts, steps and doubts."""
    total = sum(step.seconds for step in plan.steps)
    danger, note = danger_of(plan), mirror_note(plan)
    return join(
        (
            paragraphs(join((word("danger", "danger"), danger))) if danger else "",
            paragraphs(note) if note else "",
            *(_member(number, member) for number, member in enumerate(plan.members)),
            _volumes(plan),
            listed(inside) if (inside := inside_sentences(plan)) else "",
            tag("h3", "Steps"),
            paragraphs(promise(plan)),
            paragraphs(
                t(
                    "{steps} in this order, about {duration} by estimate.",
                    steps=len(plan.steps),
                    duration=format_duration(total),
                )
            ),
            tag("ol", *map(_step, plan.steps)),
            join((tag("h3", "In doubt"), listed(plan.doubts))) if plan.doubts else "",
        )
    )


def _member(number: int, member: Member) -> Markup:
    sides = ((False, "before", member.before), (True, "after", member.after))
    return join(
        (
            tag("h3", member.drive.path),
            *(
                _layout(f"drive-{number}-{name}", name, member, layout, after=after)
                for after, name, layout in sides
            ),
        )
    )


def _layout(ident: str, name: str, member: Member, layout: Layout, *, after: bool) -> Markup:
    size = member.drive.size_bytes
    pieces = [_stretch(cell) for cell in bar(layout, size, PARTS, after=after)]
    kind = TABLES[layout.table]() if layout.table in TABLES else layout.table
    title = f"{member.drive.path} {name}: {kind}"
    said = t(
        "To scale, from the start of the drive: {pieces:semicolons}.",
        pieces=tuple(piece.said for piece in pieces),
    )
    rows = [_row(slot, after=after) for slot in _named(layout)]
    caption = t("{drive} {when}, in numbers", drive=member.drive.path, when=name)
    heads = ("Number", "State", "Start", "Size", "Holds", "Label", "Mounted at", "UUID")
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("strong", title),
            t("; on the drive itself: {signatures:list}", signatures=layout.signatures)
            if layout.signatures
            else "",
            t("; waiting there: {waiting}", waiting=layout.waiting) if layout.waiting else "",
        ),
        stretches(ident, title, said, pieces),
        table(caption, heads, rows, numbers=(2, 3)) if rows else "",
    )


def _named(layout: Layout) -> list[Slot]:
    whole = [layout.whole] if layout.whole else []
    return whole + [slot for slot in layout.slots if slot.number or slot.size_bytes > FLOOR_BYTES]


def _stretch(cell: Cell) -> Stretch:
    numbered = [slot for slot in cell.slots if slot.number]
    if len(cell.slots) > 1:
        small = t("{stretches} stretches too small to be drawn one by one", stretches=len(cell.slots))
        return Stretch(cell.width, cell.state.value, "+", f"{cell.state.value}: {small}")
    only = cell.slots[0] if cell.slots else None
    size = f", {format_capacity(only.size_bytes)}" if only else ""
    what: str | Said = (
        content_of(only)
        if only and (numbered or cell.state is State.NEW)
        else t("all of the drive")
        if only is None
        else t("free space")
    )
    number = f"partition {only.number}, " if only and only.number else ""
    label = (
        f"{only.number}: {content_of(only)}"
        if numbered and only
        else content_of(only)
        if only and cell.state is State.NEW
        else ""
    )
    return Stretch(cell.width, cell.state.value, label, f"{cell.state.value}: {number}{what}{size}")


def _row(slot: Slot, *, after: bool) -> Sequence[str]:
    state = state_of(slot, after=after)
    size = f"{format_capacity(slot.size_bytes)} ({slot.size_bytes} bytes)"
    fixed = (str(slot.number) if slot.number else "-", state.value, format_exact(slot.start_bytes), size)
    if state is State.FREE:
        return (*fixed, "free space", "", "", "")
    return (*fixed, content_of(slot), slot.label or slot.name or "", slot.mount_point or "", slot.uuid or "")


def _volumes(plan: Plan) -> Markup:
    heads = ("Volume", "Purpose", "Filesystem", "Made with", "Mounted at", "Mounted with", "Writable by")
    rows = [
        (
            volume.label or volume.path,
            volume.workload,
            f"{volume.filesystem} in LUKS2" if volume.encryption else volume.filesystem,
            " ".join(volume.mkfs_options) or "the defaults",
            volume.mount_point or "not mounted",
            ",".join(volume.mount_options) or "the defaults",
            str(who(volume.writer)),
        )
        for volume in plan.volumes
    ]
    return table(t("What was asked for, and what was decided"), heads, rows) if rows else Markup("")


def changes_part(changes: Changes) -> Markup:
    """Changes to a filesystem that exists: steps, reasons and doubts."""
    return join((_why(changes.reasons, changes.doubts), tag("ol", *map(_step, changes.steps))))


def migration_part(migration: Migration) -> Markup:
    """A filesystem led to ext4: by which way, steps, gains and doubts."""
    before = migration.before
    told = t(
        "{device} ({kind}, {size:size}) to ext4, by the way {way}.",
        device=migration.device,
        kind=before.kind,
        size=before.size_bytes,
        way=migration.way,
    )
    return join(
        (
            paragraphs(told),
            _why(migration.gains, migration.doubts),
            tag("ol", *map(_step, migration.steps)),
        )
    )


def move_part(moves: Moves) -> Markup:
    """Partitions that move: what is told before, and the steps."""
    return join(
        (paragraphs(*preview(moves)), tag("ol", *(tag("li", str(said)) for said in step_sentences(moves))))
    )


def _why(reasons: Sequence[Said | str], doubts: Sequence[Said | str]) -> Markup:
    parts = (("Why", reasons), ("In doubt", doubts))
    return join(join((tag("h3", title), listed(said))) for title, said in parts if said)


def _step(step: Step | ChangeStep | MigrationStep) -> Markup:
    destroys = (step.destroys or "nothing") if isinstance(step, Step) else ""
    takes: Content = ""
    if not isinstance(step, ChangeStep):
        takes = t("{duration} (an estimate)", duration=format_duration(step.seconds))
    return tag(
        "li",
        tag("strong", step.sentence),
        commands(step.commands),
        tag("pre", "\n".join(step.edits)) if step.edits else "",
        pairs(
            (
                ("Destroys", destroys),
                ("Undo", step.undo),
                (t("Must hold afterwards"), listed(step.holds)),
                (t("If the power goes"), step.power if isinstance(step, MigrationStep) else ""),
                ("Takes about", takes),
            )
        ),
    )
