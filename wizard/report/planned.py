"""Report section on the plan: layouts to scale, and every step in detail. Also advice."""

from collections.abc import Iterable, Iterator, Sequence

from wizard.advice.missing import for_files
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Advice, Choice, Evidence, Option, Rank, Unmade
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.layout import Layout, Member, Slot
from wizard.model.migration import Migration, MigrationStep, Moves
from wizard.model.said import (
    Message,
    ProfileText,
    Sentence,
    format_capacity,
    format_duration,
    format_exact,
    parts_of,
    t,
)
from wizard.plan.changes import Bring, Changes, ChangeStep
from wizard.plan.copy import amount_message, fstab_difference
from wizard.plan.free_space import content_of
from wizard.plan.messages import who
from wizard.plan.partition.moves import preview
from wizard.plan.plan import Plan, Step
from wizard.plan.preview import Cell, StretchState, bar, danger_of, state_of
from wizard.plan.raid.striping import mirror_note
from wizard.plan.text import inside_sentences
from wizard.plan.undo_policy import promise
from wizard.report.charts import (
    ChartBar,
    ChartPiece,
    Content,
    Markup,
    Row,
    bars,
    commands,
    folded,
    join,
    listed,
    pairs,
    paragraphs,
    stretches,
    table,
    tag,
    word,
)

PARTS = 250
"""Width of a drawn drive in parts. A partition has at least one."""

TABLES = {
    "none": Sentence("no partition table"),
    "unread": Sentence("not read"),
    "mbr": Sentence("an MBR table"),
    "gpt": Sentence("a GPT table"),
}


def plan_part(plan: Plan) -> Markup:
    """Describe the plan: layouts, steps and unknowns."""
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
                    "Steps in this order: {steps}. Estimated duration: about {duration}.",
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
    description = t(
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
            t("; on the whole drive: {signatures:list}", signatures=layout.signatures)
            if layout.signatures
            else "",
            t("; waiting: {waiting}", waiting=layout.waiting) if layout.waiting else "",
        ),
        stretches(ident, title, description, pieces),
        table(caption, heads, rows, numbers=(2, 3)) if rows else "",
    )


def _named(layout: Layout) -> list[Slot]:
    whole = [layout.whole] if layout.whole else []
    return whole + [slot for slot in layout.slots if slot.number or slot.size_bytes > FLOOR_BYTES]


def _stretch(cell: Cell) -> ChartPiece:
    numbered = [slot for slot in cell.slots if slot.number]
    if len(cell.slots) > 1:
        small = t("{stretches} extents too small to draw one by one", stretches=len(cell.slots))
        return ChartPiece(cell.width, cell.state.value, "+", f"{cell.state.value}: {small}")
    only = cell.slots[0] if cell.slots else None
    size = f", {format_capacity(only.size_bytes)}" if only else ""
    what: str | Message = (
        content_of(only)
        if only and (numbered or cell.state is StretchState.NEW)
        else t("whole drive")
        if only is None
        else t("free space")
    )
    number = f"partition {only.number}, " if only and only.number else ""
    label = (
        f"{only.number}: {content_of(only)}"
        if numbered and only
        else content_of(only)
        if only and cell.state is StretchState.NEW
        else ""
    )
    return ChartPiece(cell.width, cell.state.value, label, f"{cell.state.value}: {number}{what}{size}")


def _row(slot: Slot, *, after: bool) -> Sequence[str]:
    state = state_of(slot, after=after)
    size = f"{format_capacity(slot.size_bytes)} ({slot.size_bytes} bytes)"
    fixed = (str(slot.number) if slot.number else "-", state.value, format_exact(slot.start_bytes), size)
    if state is StretchState.FREE:
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
    return table(t("Requests and decisions"), heads, rows) if rows else Markup("")


def changes_part(changes: Changes) -> Markup:
    """Describe changes to an existing filesystem: steps, reasons and unknowns."""
    return join((_why(changes.reasons, changes.doubts), tag("ol", *map(_step, changes.steps))))


def migration_part(migration: Migration) -> Markup:
    """Describe a conversion to ext4: method, steps, gains and unknowns."""
    before = migration.before
    summary = t(
        "{device} ({kind}, {size:size}) to ext4, method: {way}.",
        device=migration.device,
        kind=before.kind,
        size=before.size_bytes,
        way=migration.way,
    )
    return join(
        (
            paragraphs(summary),
            _why(migration.gains, migration.doubts),
            tag("ol", *map(_step, migration.steps)),
        )
    )


def move_part(moves: Moves) -> Markup:
    """Describe a move of partitions."""
    return paragraphs(*preview(moves))


def bring_part(bring: Bring) -> Markup:
    """Describe a copy of files: places, amount, losses and lines of fstab."""
    places = t("{source} to {folder}", source=bring.source.path, folder=bring.target.folder)
    edits = "\n".join(fstab_difference(bring))
    parts = (paragraphs(places), listed(amount_message(bring)), _why((), bring.doubts))
    return join((*parts, tag("pre", edits) if edits else ""))


def _why(reasons: Sequence[Message | str], doubts: Sequence[Message | str]) -> Markup:
    parts = (("Why", reasons), ("In doubt", doubts))
    return join(join((tag("h3", title), listed(said))) for title, said in parts if said)


def _step(step: Step | ChangeStep | MigrationStep) -> Markup:
    destroys = (step.destroys or "nothing") if isinstance(step, Step) else ""
    duration: Content = ""
    if not isinstance(step, ChangeStep):
        duration = t("{duration} (an estimate)", duration=format_duration(step.seconds))
    return tag(
        "li",
        tag("strong", step.sentence),
        commands(step.commands),
        tag("pre", "\n".join(step.edits)) if step.edits else "",
        pairs(
            (
                ("Destroys", destroys),
                ("Undo", step.undo),
                (t("Expected afterwards"), listed(step.holds)),
                (t("On power loss"), step.power if isinstance(step, MigrationStep) else ""),
                ("Takes about", duration),
            )
        ),
    )


PLACES = {
    Rank.RECOMMENDED: "recommended",
    Rank.ALTERNATIVE: "good too",
    Rank.NOT_RECOMMENDED: "not recommended",
}


def title_of(name: str) -> str:
    """Return a filesystem's usual name, or a configuration's name in the study."""
    return KINDS[name].title if name in KINDS else str(ProfileText(name))


def advice_part(advices: tuple[Advice, ...], plan: Plan | None) -> Markup:
    """Describe the ranking for each workload, then each cited figure once, by study."""
    cited = list(
        dict.fromkeys(card for advice in advices for choice in advice.choices for card in choice.evidence)
    )
    studies: dict[tuple[Message | str, ...], list[Evidence]] = {}
    for card in cited:
        studies.setdefault((card.source, card.era, card.kernel, card.hardware), []).append(card)
    ordered = [card for cards in studies.values() for card in cards]
    numbers = {card.id: number for number, card in enumerate(ordered, 1)}
    planned = (
        frozenset((volume.workload, volume.filesystem) for volume in plan.volumes) if plan else frozenset()
    )
    figures = (
        tag("h3", t("Supporting figures")),
        _old(),
        *(_study(cards, numbers) for cards in studies.values()),
    )
    return join((*(_advice(advice, numbers, planned) for advice in advices), *(figures if cited else ())))


def _old() -> Markup:
    return paragraphs(
        t("These published results are old: consider their date, kernel and hardware. Best first.")
    )


def _study(cards: list[Evidence], numbers: dict[str, int]) -> Markup:
    """Describe a study with date, platform and common notes, then its figures."""
    first = cards[0]
    common = [note for note in parts_of(first.note) if all(note in parts_of(card.note) for card in cards)]
    dated = pairs(
        (
            ("Era", first.era),
            ("Kernel", first.kernel),
            ("Hardware", first.hardware),
            ("Note", " ".join(map(str, common))),
        )
    )
    return tag(
        "section", tag("h4", first.source), dated, *(_card(card, numbers[card.id], common) for card in cards)
    )


def _advice(advice: Advice, numbers: dict[str, int], planned: frozenset[tuple[str, str]]) -> Markup:
    none = "" if advice.chosen else t("No recommended filesystem for this workload can be made here.")
    uses = [
        join((f"{use.verdict}. {use.sentence}", commands([command.split(" ") for command in use.commands])))
        for use in advice.zoned
    ]
    planned_choices = [
        choice for choice in advice.choices if (advice.workload.id, choice.filesystem) in planned
    ]
    others = [
        join((tag("strong", title_of(choice.filesystem)), f": {choice.sentence}"))
        for choice in for_files(advice.choices)
        if not choice.ranked and choice not in planned_choices
    ]
    return join(
        (
            tag("h3", f"{advice.workload.title}, on {advice.drive}"),
            paragraphs(advice.workload.summary, none),
            *(
                _choice(choice, numbers, taken=choice in planned_choices)
                for choice in advice.choices
                if choice.ranked or choice in planned_choices
            ),
            _section(t("Also supported, not ranked for this workload"), others),
            _section(t("Known but not supported"), [_unmade(one, numbers) for one in advice.unmade]),
            _section(t("Possible uses of the zones"), uses),
            _section(t("Unknown"), advice.doubts),
            _section(t("Good to know"), advice.notes),
        )
    )


def _unmade(one: Unmade, numbers: dict[str, int]) -> Markup:
    """Describe an unsupported filesystem: reason, migration, and cited figures."""
    text = join(
        (tag("strong", one.title), ": ", t("{why} To migrate: {way}", why=one.why_not, way=one.way_off), " ")
    )
    return join((text, _links((card for card in one.evidence if card.id in numbers), numbers)))


def _links(cards: Iterable[Evidence], numbers: dict[str, int]) -> Markup:
    return join(
        join((tag("a", f"[{numbers[card.id]}]", href=f"#figure-{numbers[card.id]}"), " ")) for card in cards
    )


def _section(title: Message, items: tuple[str, ...] | list[Markup]) -> Markup:
    return join((tag("h4", title), listed(items))) if items else Markup("")


def _choice(choice: Choice, numbers: dict[str, int], *, taken: bool) -> Markup:
    title = title_of(choice.filesystem)
    made = list(_options(choice)) if not choice.obstacles else []
    options = (
        table(t("Options for {filesystem}", filesystem=title), ("Option", "For", "Why", "Risk"), made)
        if made
        else Markup("")
    )
    if choice.place is Rank.NOT_RECOMMENDED and not taken and made:
        options = folded(t("Options for {filesystem}, if selected", filesystem=title), options)
    withheld = [(held.text, held.kind, held.reason) for held in choice.withheld]
    return tag(
        "section",
        tag(
            "h4",
            word(choice.place.value, PLACES[choice.place]),
            title,
            t(", used in the plan") if taken else "",
        ),
        paragraphs(
            *(t("Not made here: {why}", why=obstacle) for obstacle in choice.obstacles), choice.sentence
        ),
        options,
        folded(
            t(
                "Considered for {filesystem}, not offered ({options})",
                filesystem=title,
                options=len(withheld),
            ),
            table(
                t("Not offered for {filesystem}", filesystem=title), ("Option", "For", "Why not"), withheld
            ),
        )
        if withheld
        else "",
        paragraphs(join(("Figures: ", _links(choice.evidence, numbers)))) if choice.evidence else "",
    )


def _options(choice: Choice) -> Iterator[Row]:
    for kind, options in (
        ("mkfs", choice.mkfs),
        ("mount", choice.mount),
        ("scheduler", (choice.scheduler,) if choice.scheduler else ()),
    ):
        yield from (_option(kind, option) for option in options)


def _option(kind: str, option: Option) -> Row:
    return (tag("code", option.text), kind, option.why, option.risk)


def _card(card: Evidence, number: int, common: list[Message | str]) -> Markup:
    """Return a measurement as chart and table, with its own notes."""
    better = t("lower is better") if card.lower_is_better else t("higher is better")
    ordered = sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
    rows = [ChartBar(title_of(name), value, f"{value:,}") for name, value in ordered]
    description = f"{card.unit}, {better}: " + "; ".join(f"{row.name} {row.shown}" for row in rows) + "."
    chart = bars(f"figure-{number}-chart", card.title, description, rows) if rows else ""
    return tag(
        "figure",
        tag("figcaption", tag("strong", f"[{number}] {card.title}"), f": {card.unit}, {better}; {card.era}"),
        chart,
        paragraphs(
            " ".join(str(note) for note in parts_of(card.note) if note not in common),
            class_="quiet",
        ),
        folded(
            t("As a table"),
            table(card.title, ("Of", card.unit), ((row.name, row.shown) for row in rows), numbers=(1,)),
        ),
        id=f"figure-{number}",
    )
