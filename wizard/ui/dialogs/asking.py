"""Dialogs to ask, choose, type and save. Enter changes nothing by default."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.documents.files import write_file
from wizard.model.errors import BadInput, DiskwrightError, Refused, printable
from wizard.model.said import Message, t, tn
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import short
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Overlay
from wizard.ui.jobs.job import AnyJob


class Question(Overlay):
    """A question over the previous screen. `text` explains the consequence of yes.

    After yes, the dialog closes and `then` is called; the previous screen shows errors.
    """

    def __init__(
        self,
        desk: Desk,
        title: ui.Text,
        text: ui.Text | Sequence[ui.Block],
        yes: ui.Text,
        then: Callable[[], None],
        no: ui.Text = "",
        *,
        ends: bool = False,
    ) -> None:
        super().__init__(desk)
        self._title, self._yes, self._then, self._ends = title, yes, then, ends
        self._no = no if no != "" else t("no")
        self._blocks = blocks_of(text)

    def view(self) -> ui.View:
        """Return the question, with no as the default."""
        actions = (
            ui.Action("no", "enter", self._no),
            ui.Action("yes", "y", self._yes, ends=self._ends),
            ui.Action("no", "escape", self._no, aside=True),
            ui.Action("no", "n", self._no, aside=True),
        )
        return ui.View(
            "question",
            self.at,
            self._title,
            actions,
            above=self._blocks,
            over=True,
            help=(t("Nothing happens until you answer. Enter changes nothing."),),
        )

    def act_no(self, _row: str, _values: ui.Values) -> None:
        """Close without changes."""
        self.desk.back()

    def act_yes(self, _row: str, _values: ui.Values) -> None:
        """Close the dialog and call `then`."""
        self.desk.back()
        call_guarded(self.desk, self._then)


Take = Callable[[ui.Values], Callable[[], None] | None]
"""Callback for the typed values."""


class Typing(Overlay):
    """Fields to fill in over the previous screen.

    `take` receives the values while the dialog is open. Errors are shown here and preserve the values.
    Otherwise the dialog closes, and the returned function is called. Open other screens there; the previous
    screen shows errors.
    """

    def __init__(
        self,
        desk: Desk,
        title: ui.Text,
        blocks: ui.Text | Sequence[ui.Block],
        fields: Sequence[ui.Field],
        take: Take,
        label: ui.Text,
    ) -> None:
        super().__init__(desk)
        self._title, self._take, self._label = title, take, label
        self._blocks, self._fields = blocks_of(blocks), tuple(fields)

    def view(self) -> ui.View:
        """Return the fields with the typed values."""
        return ui.View(
            "typing",
            self.at,
            self._title,
            (ui.Action("take", "enter", self._label), ui.Action("back", "escape", t("cancel"))),
            above=self._blocks,
            fields=self._fields,
            over=True,
            help=(t("Enter in the last field accepts your input. Esc cancels."),),
        )

    def turned(self, field: str, values: ui.Values) -> None:
        """Update the fields."""
        self._fields = _typed(self._fields, values)

    def act_take(self, _row: str, values: ui.Values) -> None:
        """Use the values, or show why they are refused."""
        self._fields = _typed(self._fields, values)
        then = self._take(values)
        if self.desk.screen is self:
            self.desk.back()
        if then is not None:
            call_guarded(self.desk, then)


def blocks_of(text: ui.Text | Sequence[ui.Block]) -> tuple[ui.Block, ...]:
    """Return text as blocks."""
    return (ui.para(text),) if isinstance(text, str | Message) else tuple(text)


def call_guarded(desk: Desk, then: Callable[[], None]) -> None:
    """Call `then`, and show errors on the current screen."""
    screen = desk.screen
    try:
        then()
    except DiskwrightError as error:
        screen.tell(str(error), ui.Tone.WARN)


def _typed(fields: Sequence[ui.Field], values: ui.Values) -> tuple[ui.Field, ...]:
    """Update the fields without storing secrets."""
    return tuple(
        field if field.secret else replace(field, value=values.get(field.key, field.value))
        for field in fields
    )


def confirm(desk: Desk, job: AnyJob | None, then: Callable[[bytes | None], None], *, secret: bool) -> None:
    """Ask for the token of each drive of `job`, and for a passphrase if `secret`.

    Then call `then` with the passphrase.
    """
    drives = job.drives if job else ()

    def take(values: ui.Values) -> Callable[[], None]:
        for number, drive in enumerate(drives):
            typed = values.get(f"token{number}", "").strip()
            if not typed or typed != drive.token:
                said = messages.WRONG if typed else messages.EMPTY
                raise Refused(said(drive=short(drive.path), token=printable(drive.token, 40)))
        return partial(then, _secret(values) if secret else None)

    fields = tuple(
        ui.Field(
            f"token{number}",
            messages.TOKEN_OF(drive=short(drive.path)),
            hint=messages.HINT_WHOLE(token=printable(drive.token, 40)),
        )
        for number, drive in enumerate(drives)
    )
    names = tuple(short(drive.path) for drive in drives)
    text: tuple[ui.Para, ...] = ()
    if job:
        over = tn(
            "Continuing overwrites all contents of {drives:and}.",
            "Continuing overwrites all contents of {drives:and}.",
            drives=names,
            count=len(names),
        )
        text = (
            ui.para(
                t("Continuing writes to {drives:and} and preserves every file.", drives=names)
                if job.keeps_all
                else over
            ),
        )
    asked = (
        ui.Field("passphrase", messages.PASSPHRASE, secret=True),
        ui.Field("again", messages.AGAIN, hint=messages.AGAIN_HINT, secret=True),
    )
    fields = (*fields, *(asked if secret else ()))
    desk.go(Typing(desk, t("Go on?"), text, fields, take, messages.RESUME))


def _secret(values: ui.Values) -> bytes:
    """Return the passphrase, typed twice. Raises Refused if empty or the two differ.

    While no data is written yet, encrypted volumes are created again with this passphrase.
    """
    if not values.get("passphrase"):
        raise Refused(messages.NO_PASSPHRASE)
    if values.get("passphrase") != values.get("again"):
        raise Refused(messages.DIFFERENT)
    return os.fsencode(values["passphrase"])


class Ending(Question):
    """The question before exit."""

    def __init__(self, desk: Desk, text: Message) -> None:
        super().__init__(desk, t("End the wizard?"), text, t("end"), desk.end, t("stay"), ends=True)


def ending(desk: Desk) -> Screen | None:
    """Return the question before exit, or None if no work would be lost or the question is open."""
    if isinstance(desk.screen, Ending):
        return None
    text = _run_words(desk, desk.run) if desk.run is not None else _plan_words(desk)
    return Ending(desk, text) if text is not None else None


def _run_words(desk: Desk, run: Path) -> Message | None:
    from wizard.apply.run.journal import RunState

    try:
        state = desk.services.runs.state(run)
    except DiskwrightError:
        return t("The state of the run is unknown; it may continue. Check `diskwright status`.")
    return (
        t("The run continues without this window. `diskwright status` shows the progress.")
        if state is RunState.RUNNING
        else None
    )


def _plan_words(desk: Desk) -> Message | None:
    session = desk.session
    planned = session.plan or session.migration
    if not planned:
        return None
    return (
        t("The plan is not applied and will be discarded. Only the measurement has written, to free space.")
        if desk.measured_by_writing
        else t("The plan is not applied and will be discarded. No drive was written.")
    )


class Picker(Screen):
    """Selection from several rows. Closes the dialog, then calls `take` with the key of the row."""

    def __init__(
        self, desk: Desk, title: ui.Text, rows: Sequence[ui.Row], label: ui.Text, take: Callable[[str], None]
    ) -> None:
        super().__init__(desk)
        self._title, self._rows, self._label, self._take = title, tuple(rows), label, take

    def view(self) -> ui.View:
        """Return the rows."""
        actions = (ui.Action("take", "enter", self._label), ui.Action("back", "escape", ui.BACK))
        rows = ui.Rows(self._rows, self._rows[0].key)
        return ui.View("which", self.step, self._title, actions, rows=rows, over=True)

    def act_take(self, row: str, _values: ui.Values) -> None:
        """Use the row."""
        self.desk.back()
        self._take(row)


def save(
    desk: Desk, what: ui.Text, text: str, proposal: str, then: Callable[[Path], None] | None = None
) -> None:
    """Ask for a file name and save `text`. `what` is part of a sentence, such as `the plan`.

    Then report the file on the previous screen and call `then`.
    """

    def take(values: ui.Values) -> Callable[[], None]:
        path = _free_path(values.get("file", "").strip())
        name = str(what)
        write_file(path, text, name[:1].upper() + name[1:])
        return partial(saved, path)

    def saved(path: Path) -> None:
        desk.screen.tell(t("{what:First} was saved to {path}.", what=what, path=str(path)), ui.Tone.GOOD)
        if then is not None:
            then(path)

    field = ui.Field("file", t("File"), proposal, t("name or full path"))
    blocks = (
        ui.para(
            t("A plain name is a file in the folder where diskwright was started. ~ is your home folder.")
        ),
        ui.para(t("Existing files are never overwritten.")),
    )
    desk.go(Typing(desk, t("Save {what}", what=what), blocks, (field,), take, t("save")))


def save_job(desk: Desk, screen: Screen, job: AnyJob) -> None:
    """Ask for a name and save the plan; then show the command to apply it."""
    text, proposal = job.saved()

    def saved(path: Path) -> None:
        screen.tell(
            t("Saved. Apply with: {command}", command=job.command(desk.services, str(path))), ui.Tone.GOOD
        )

    save(desk, t("the plan"), text, proposal, saved)


def _free_path(name: str) -> Path:
    """Return the path of a new file. Raises BadInput if the path exists or is invalid."""
    if not name:
        raise BadInput(t("Type a file name, or press Esc."))
    try:
        path = Path(name).expanduser()
        there = path.exists() or path.is_symlink()
    except (OSError, RuntimeError, ValueError):
        raise BadInput(t("{name} is not a valid file name. Choose another name.", name=name)) from None
    if there:
        raise BadInput(t("{path} already exists and was not changed. Choose another name.", path=str(path)))
    return path
