"""Dialogs to ask, choose, type and save. Enter changes nothing by default."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from wizard.documents.files import write_file
from wizard.model.errors import BadInput, DiskwrightError, Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Page
from wizard.ui.jobs.job import AnyJob

CONTINUES = t("The run continues without this window. `diskwright status` shows the progress.")


class Dialog(Screen):
    """Text, and fields to fill in or rows to choose from, over the previous screen.

    `read` receives the values while the dialog is open. Errors are shown here.
    Otherwise the dialog closes, and the function that `read` returned is called. Open other screens there;
    the previous screen shows errors.
    """

    place = "typing"
    over = True

    def __init__(
        self,
        desk: Desk,
        title: ui.Text,
        blocks: Sequence[ui.Block],
        fields: Sequence[ui.Field],
        read: Callable[[ui.Values], Callable[[], None]],
        label: ui.Text = messages.REVIEW,
    ) -> None:
        super().__init__(desk)
        self.title, self.above, self.fields, self._read = title, blocks, fields, read
        self.actions = (ui.Action("take", "enter", label),)

    def act_take(self) -> None:
        then = self._read(self.values)
        self.close()
        self.desk.post(self.desk.screen, then)

    act_yes = act_take


def question(
    desk: Desk, title: ui.Text, text: ui.Text, yes: ui.Text, then: Callable[[], None], *, ends: bool = False
) -> Screen:
    """Return a question before `then`. The default is no. `text` explains the consequence of yes."""
    dialog = Dialog(desk, title, (ui.para(text),), (), lambda _: then)
    dialog.place = "question"
    dialog.actions = (
        ui.Action("back", "enter", messages.NO),
        ui.Action("yes", "y", yes, ends=ends),
        ui.aside("back", "n", messages.NO),
    )
    return dialog


def ask_tokens(
    desk: Desk,
    drives: Sequence[Drive | Identity],
    title: ui.Text,
    blocks: Sequence[ui.Block],
    then: Callable[[bytes | None], None],
    label: ui.Text,
    *,
    secret: bool = False,
) -> None:
    """Ask for the token of each drive before writing, and for a passphrase if `secret`.

    Then call `then` with the passphrase.
    """

    def check(values: ui.Values) -> Callable[[], None]:
        for number, drive in enumerate(drives):
            check_token(values, number, drive, drive.token)
        return partial(then, passphrase_of(values) if secret else None)

    fields = [
        ui.Field(f"token{number}", ui.short(drive.path), hint=messages.TYPE(token=drive.token))
        for number, drive in enumerate(drives)
    ]
    asked = (*fields, *(passphrase_fields() if secret else ()))
    desk.go(Dialog(desk, title, blocks, asked, check, label))


def check_token(values: ui.Values, number: int, drive: Drive | Identity, *tokens: str) -> None:
    """Raises Refused unless field `number` has one of these tokens, with the last as the one to type."""
    if values.get(f"token{number}", "").strip() not in filter(None, tokens):
        raise Refused(t("Type {token} to confirm {drive}.", drive=ui.short(drive.path), token=tokens[-1]))


def passphrase_fields(hint: ui.Text = "") -> tuple[ui.Field, ui.Field]:
    """Return the fields for a passphrase and the repetition."""
    return (
        ui.Field("passphrase", messages.PASSPHRASE, hint=hint, secret=True),
        ui.Field("again", t("Repeat"), secret=True),
    )


def passphrase_of(values: ui.Values) -> bytes:
    """Return the passphrase, typed twice. Raises Refused if empty or the two differ.

    While no data is written yet, encrypted volumes are created again with this passphrase.
    """
    if not values.get("passphrase") or values["passphrase"] != values.get("again"):
        raise Refused(t("Type the same passphrase twice."))
    return os.fsencode(values["passphrase"])


END = t("End the wizard?")


def ending(desk: Desk) -> Screen | None:
    """Return the question before exit, or None if no work would be lost or the question is open."""
    from wizard.apply.run.journal import RunState

    text = None
    if desk.screen.title == END:
        return None
    if desk.run is not None:
        try:
            if desk.services.runs.state(desk.run) is RunState.RUNNING:
                text = CONTINUES
        except DiskwrightError:
            text = t("The state of the run is unknown; it may continue. Check `diskwright status`.")
    elif (session := desk.selected) and (session.plan or session.migration):
        text = t("The plan is not applied and will be discarded. No drive was written.")
        if desk.measured_by_writing:
            text = t(
                "The plan is not applied and will be discarded. Only the measurement has written, to free "
                "space."
            )
    if text is None:
        return None
    return question(desk, END, text, t("end"), desk.end, ends=True)


def pick(desk: Desk, title: ui.Text, rows: Sequence[ui.Row], take: Callable[[str], None]) -> None:
    """Call `take` with the key of the only row, or of the one that the user picks."""
    if len(rows) == 1:
        take(rows[0].key)
    else:
        dialog = Dialog(desk, title, (), (), lambda _: partial(take, dialog.row), messages.USE)
        dialog.place, dialog.rows = "which", rows
        desk.go(dialog)


def save(
    desk: Desk, what: ui.Text, text: str, proposal: str, report: Callable[[Path], ui.Text] | None = None
) -> None:
    """Ask for a file name and save `text`. `what` is part of a sentence, such as `the plan`.

    Then report the file on the previous screen, in the words of `report` if given.
    """

    def write(values: ui.Values) -> Callable[[], None]:
        name = values["file"].strip()
        if not name:
            raise BadInput(t("Type a file name, or press Esc."))
        try:
            path = Path(name).expanduser()
            there = path.exists() or path.is_symlink()
        except (OSError, RuntimeError, ValueError):
            raise BadInput(t("{name} is not a valid file name. Choose another name.", name=name)) from None
        if there:
            raise BadInput(
                t("{path} already exists and was not changed. Choose another name.", path=str(path))
            )
        write_file(path, text, str(messages.FIRST(what=what)))
        said = t("{what:First} was saved to {path}.", what=what, path=str(path))
        return lambda: desk.screen.tell(report(path) if report else said, ui.Tone.GOOD)

    field = ui.Field("file", t("File"), proposal)
    blocks = (
        ui.para(
            t("A plain name is a file in the folder where diskwright was started. ~ is your home folder.")
        ),
        ui.para(t("Existing files are never overwritten.")),
    )
    desk.go(Dialog(desk, t("Save {what}", what=what), blocks, (field,), write, messages.SAVE))


class JobScreen(Screen):
    """A screen about a job."""

    job: AnyJob

    def show(self, job: AnyJob) -> None:
        """Take title and header from a job."""
        self.job, self.title = job, job.title
        self.about = ", ".join(ui.short(drive.path) for drive in job.drives)

    def act_commands(self) -> None:
        self.open(Page, messages.STEPS, self.job.commands())

    def act_save(self) -> None:
        job = self.job

        def report(path: Path) -> ui.Text:
            return t("Saved. Apply with: {command}", command=job.command(str(path)))

        save(self.desk, t("the plan"), *job.saved(), report)
