"""A plan's volumes, and the selected volume, as rows and paragraphs. Pure."""

from wizard.filesystems.registry import title_of
from wizard.model import layout
from wizard.model.advice import Choice, Rank
from wizard.model.errors import printable
from wizard.model.said import format_capacity, t
from wizard.plan.raid.striping import volume_sizes
from wizard.plan.request.volume_request import more_words, size_words
from wizard.plan.request.wanted import advice_in_role
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import headline, kind_of
from wizard.ui.session import Session

COLUMNS = (
    ui.Column(messages.NAME),
    ui.Column(messages.FIRST(what=messages.FILESYSTEM)),
    ui.Column(messages.SIZE, right=True),
    ui.Column(t("Mounted at")),
    ui.Column(messages.WHO_MAY_WRITE),
)
RANKS = {
    Rank.RECOMMENDED: ui.good(messages.RECOMMENDED),
    Rank.ALTERNATIVE: ui.accent(messages.ALTERNATIVE),
    Rank.NOT_RECOMMENDED: ui.warn(messages.NOT_RECOMMENDED),
}
ALTERNATIVES = 2
"""Most other filesystems to name below the planned one."""


def volume_row(session: Session, index: int) -> ui.Row:
    """Return the row of a volume: label, filesystem, size, mount point and writers."""
    spec = session.specs[index]
    made = volume_sizes(session.plan).get(index)
    place: ui.Text = spec.mount_point or messages.NOT_MOUNTED
    mounts = spec.mount_point or any(one.mount_point for one in spec.subvolumes)
    writers: ui.Text = spec.writer.shown if mounts or spec.writer != layout.ROOT else ""
    if spec.mount_point == layout.NO_PLACE:
        place, writers = t("in use"), ""
    label, filesystem = ui.strong(printable(spec.final_label, 30)), title_of(spec.choice.filesystem)
    more = "; ".join(more_words(spec))
    notes = (more,) if more else ()
    return ui.row(str(index), label, filesystem, size_words(spec, made), place, writers, notes=notes)


def volume_pane(session: Session, index: int) -> ui.Pane:
    """Describe the filesystem of a volume, with reasons, alternatives and options."""
    spec, advice = session.specs[index], session.advice
    others: list[Choice] = []
    if advice is not None and advice.workload.id == spec.workload.id:
        others = [
            choice
            for choice in advice_in_role(advice, spec.role).choices
            if choice.filesystem != spec.choice.filesystem and choice.ranked and not choice.obstacles
        ]
    options = ", ".join(option.text for option in (*spec.choice.mkfs, *spec.choice.mount))
    title = title_of(spec.choice.filesystem)
    blocks = (
        ui.para("(*)", ui.strong(title), rating(spec.choice), headline(spec.choice.sentence), hang=4),
        *(ui.para("( )", title_of(one.filesystem), rating(one), hang=4) for one in others[:ALTERNATIVES]),
        ui.label(messages.OPTIONS_TITLE, options or messages.DEFAULTS),
        *(ui.warning(messages.NOTE, doubt) for doubt in spec.doubts),
    )
    return ui.Pane(f"{spec.final_label}: {title}", blocks)


def rating(choice: Choice) -> ui.Piece:
    """Return the rating in a word or two. Filesystems outside the ranking get a plain tone."""
    if choice.obstacles:
        return ui.muted(messages.IMPOSSIBLE)
    return RANKS[choice.place] if choice.ranked else ui.Piece(messages.NOT_RECOMMENDED)


def about_drive(session: Session) -> ui.Text:
    """Return name, size and kind of the session's drives for the header."""
    drive = session.drive
    name = ui.short(session.part or drive.path)
    if session.others:
        name = " + ".join(ui.short(one.path) for one in session.drives)
    return f"{name}  {format_capacity(drive.size_bytes or 0)}  {kind_of(drive)}"
