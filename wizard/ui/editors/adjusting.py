"""Editor for start, end and size of an existing partition, with the effect of each change."""

from collections.abc import Callable
from functools import partial, partialmethod

from wizard.filesystems import partition_types
from wizard.filesystems.registry import title_of
from wizard.model import machine
from wizard.model.said import format_capacity, format_exact, parse_place, t
from wizard.plan.dangers import layout_before
from wizard.plan.derive import placed_layout
from wizard.plan.partition import possible, resize
from wizard.plan.partition.move_target import room_around, why_not_move
from wizard.plan.refusals import measured
from wizard.plan.request.plan_request import ResizePart
from wizard.plan.settings.possible import label_on
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_bars import layout_bars
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog, pick

CAPTIONS = {resize.Border.START: t("Start"), resize.Border.END: t("End"), resize.Border.SIZE: messages.SIZE}


def adjust(desk: Desk, device: str) -> None:
    """Open the editor of a partition of the session's drive. Raises Refused for a drive of unknown size."""
    drive = desk.session.drive
    if part := drive.partition(device):
        measured(drive)
        desk.go(ResizeEditor(desk, part))


def adjust_one_of(desk: Desk, drive: machine.Drive) -> None:
    """Open the editor for a partition of the drive. Ask which if there are several."""
    parts = [part for part in drive.partitions if part.type not in partition_types.CONTAINERS]
    rows = []
    for part in parts:
        label = label_on(drive, part.path) or title_of(part.filesystem or "")
        rows.append(ui.row(part.path, ui.short(part.path), label, format_capacity(part.size_bytes)))
    pick(desk, messages.FIRST(what=messages.RESIZE), rows, partial(adjust, desk))


class ResizeEditor(Screen):
    """Editor of start, end and size, which depend on each other. Enter opens Review of the plan or move."""

    place = "adjusting"
    columns = (ui.Column(), ui.Column(right=True), ui.Column(right=True), ui.Column())
    row: resize.Border

    def __init__(self, desk: Desk, part: machine.Partition) -> None:
        super().__init__(desk)
        self._machine, self._drive, self._part = self.session.machine, self.session.drive, part
        self._step, self._long = resize.steps_of(self._drive)
        self.row = resize.Border.SIZE
        self.title = t("Resize or move {part}", part=part)
        self.help = (
            t("Changing the start moves the whole partition. A new end or size does not move the start."),
            t(
                "Right and Left, or + and -, change by {step:exact}; > and < by {long:exact}. Press e to "
                "edit the value.",
                step=self._step,
                long=self._long,
            ),
            t("A new start and a new size need two jobs. Press f to plan the first, then plan the second."),
        )
        self._now = part.extent
        self._request(self._now)

    def _request(self, place: machine.Extent) -> None:
        self._place = place
        self._meaning: resize.Meaning = resize.meaning_of(self._machine, self._drive, self._part, place)

    def _above(self) -> ui.Blocks:
        size, _ = measured(self._drive)
        before = layout_before(self._drive, preserve=True)
        then = None
        if self._meaning.why_not != self._meaning.says or self._meaning.first:
            then = placed_layout(before, self._part.number, self._place)
        yield from layout_bars(before, then, size)
        yield self._told()

    def _rows(self) -> ui.Listed:
        for border in resize.Border:
            value, was = _value(self._place, border), _value(self._now, border)
            yield ui.row(
                border,
                ui.strong(CAPTIONS[border]),
                format_exact(value),
                ui.muted(format_capacity(value)),
                ui.muted("" if value == was else t("was {value:exact}", value=was)),
            )

    def _panes(self) -> ui.Panes:
        yield ui.Pane(t("Limits"), tuple(self._possible()))

    def _told(self) -> ui.Para:
        meaning, effect = self._meaning, messages.CAPTION(what=messages.EFFECT)
        if self._place == self._now:
            return ui.label(effect, meaning.says)
        if meaning.why_not == "":
            return ui.fine(effect, ui.strong(meaning.says))
        if meaning.why_not != meaning.says:
            return ui.label(effect, meaning.says, ui.warn(messages.NOT_POSSIBLE), meaning.why_not)
        return ui.warning(effect if meaning.first else messages.NOT_POSSIBLE, meaning.says)

    def _actions(self) -> ui.Actions:
        yield ui.Action("review", "enter", messages.REVIEW, self._meaning.why_not)
        for name, key, label in (
            ("more", "+", t("more")),
            ("more", "right", t("more")),
            ("less", "-", t("less")),
            ("less", "left", t("less")),
            ("much-more", ">", t("much more")),
            ("much-less", "<", t("much less")),
        ):
            yield ui.Action(name, key, label, aside=key not in ("+", "-"))
        yield ui.Action("type", "e", t("edit"))
        if self._place != self._now:
            yield ui.Action("reset", "r", t("reset"))
        if self._meaning.first is not None:
            yield ui.Action("first", "f", t("first only"))

    def _possible(self) -> ui.Blocks:
        drive, part = self._drive, self._part
        room = room_around(drive, part)
        move = why_not_move(drive, part)
        between = t(
            "between {low:round} and {high:round} of the drive, including the journal.",
            low=room.start_bytes,
            high=room.end_bytes,
        )
        yield _fact(t("Move:"), move, between)
        grow = resize.why_not_larger(drive, part)
        most = part.size_bytes + possible.room_behind(drive, part)
        yield _fact(t("Grow:"), grow, t("up to {most:round}.", most=most))
        shrink, limit = possible.why_not_shrink(drive, part), t("the rehearsal finds the limit.")
        if shrink is None and part.signatures[0].taken_bytes is not None:
            limit = t("down to {least:round}.", least=possible.least_bytes(drive, part))
        yield _fact(t("Shrink:"), shrink, limit)

    def moved(self, row: str) -> None:
        self.row = resize.Border(row)

    def _go(self, sign: int, *, long: bool = False) -> None:
        by = sign * (self._long if long else self._step)
        there = resize.stepped(self._drive, self._part, self._place, self.row, by)
        if there == self._place:
            self.warn(t("Limit reached: no free space."))
        self._request(there)

    act_more, act_less = partialmethod(_go, 1), partialmethod(_go, -1)
    act_much_more, act_much_less = partialmethod(_go, 1, long=True), partialmethod(_go, -1, long=True)

    def act_type(self) -> None:
        border = self.row

        def read(values: ui.Values) -> Callable[[], None]:
            place = parse_place(values["value"].strip())
            return partial(self._request, resize.asked(self._drive, self._place, border, place))

        field, value = ui.Field("value", CAPTIONS[border], "", t("e.g. 40G")), _value(self._place, border)
        means = t("Currently {value:exact}. 2048s means 2048 sectors of 512 bytes.", value=value)
        blocks = (ui.para(means),)
        self.open(Dialog, CAPTIONS[border], blocks, (field,), read, messages.USE)

    def act_reset(self) -> None:
        self._request(self._now)

    def act_first(self) -> None:
        if self._meaning.first is not None:
            self._request(self._meaning.first)

    def act_review(self) -> None:
        start, size = self._place.start_bytes, self._place.size_bytes
        if start != self._now.start_bytes:
            self.desk.open_moves(self._part, start)
        else:
            request = ResizePart(self._part, size, grows=size > self._now.size_bytes)
            self.desk.open_review(self.services.plan(self._machine, (self._drive,), request))


def _value(place: machine.Extent, border: resize.Border) -> int:
    return int(getattr(place, f"{border}_bytes"))


def _fact(caption: ui.Text, why_not: ui.Text | None, limit: ui.Text) -> ui.Para:
    return ui.label(caption, limit if why_not is None else ui.muted(why_not))
