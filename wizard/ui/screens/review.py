"""Screen 4: lost data, steps, and the drive's serial number to confirm."""

from collections.abc import Iterator
from pathlib import Path

from wizard.model.errors import DiskwrightError, Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import format_capacity, t
from wizard.plan.changes import RunDocument
from wizard.plan.request.encryption import passphrase_fault, passphrase_warning
from wizard.plan.text import WORD, UndoSpace
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import serial_of
from wizard.ui.desk import Desk
from wizard.ui.dialogs import asking
from wizard.ui.jobs.in_place import job_of
from wizard.ui.screens.work import WorkScreen

ENOUGH = 4
"""Number of characters required from the end of an unambiguous serial number."""


class Review(asking.JobScreen):
    """Final confirmation of a job. The token field has the focus, and Enter in the last field applies."""

    place = "review"
    step = ui.ScreenStep.REVIEW

    def __init__(self, desk: Desk, document: RunDocument) -> None:
        super().__init__(desk)
        self.show(job_of(self.services, document))
        self._room: UndoSpace | None = None
        self._pressed = self._beginning = False
        self._warned = b""
        self._secret: bytes | None = None
        self.help = (
            t("The serial number confirms the right drive. The drive label shows it too."),
            t("The drive is checked again before the first write. If anything differs, no data is written."),
            t("The passphrase is not stored. Several hard-to-guess words are best.")
            if self.job.takes_passphrase
            else t("The work runs in a separate process. Closing this terminal does not stop the run."),
        )

    def entered(self) -> None:
        def measured(room: UndoSpace) -> None:
            self._room = room
            pressed, self._pressed = self._pressed, False
            # Only start a run if this screen is visible.
            if pressed and room.fits and not room.lost and self.desk.screen is self:
                self.desk.with_root(self, self._begin)

        if self._room is None and not (self._blocked or self.job.word()) and self.job.rehearses():
            said = t("Rehearsing on a scratch copy. The drive does not change yet ...")
            # Exit waits until the scratch copies are removed.
            self.later(said, self.job.room, measured, finishes=True)

    def _hindered(self, error: DiskwrightError) -> None:
        tone = ui.Tone.DANGER if self._beginning else ui.Tone.WARN
        self.doing, self._pressed, self._beginning = "", False, False
        self.tell(str(error), tone)

    @property
    def _blocked(self) -> bool:
        return bool(self.services.apply_obstacle) or self.job.unread

    @property
    def _final_word(self) -> str:
        """Word to type in addition to the tokens if undo is impossible or lacks space."""
        return self.job.word() or ("" if self._room is None or self._room.fits else WORD)

    @property
    def may_leave(self) -> bool:
        return not self._beginning

    def _panes(self) -> ui.Panes:
        return self.job.panes()

    def _said(self) -> None:
        return None

    def _above(self) -> ui.Blocks:
        yield self.job.banner(final=bool(self._final_word))
        yield from map(_identity, self.job.drives)
        yield from self.job.bars
        if self.doing:
            yield ui.Progress(None, self.doing)
        elif (
            (room := self._room)
            and room.sentence
            and not (room.fits and (room.needed_bytes or self.job.restores_nothing))
        ):
            tone = ui.Tone.PLAIN if room.fits else ui.Tone.WARN
            yield ui.label(t("Space:"), ui.Piece(room.sentence, tone))
        if self.services.apply_obstacle:
            yield ui.warning(self.services.apply_obstacle, hang=2)
            if self.services.needs_root:
                yield ui.para(t("Save and apply later with:"))
                yield ui.Command((self.job.command("FILE"),))
        elif self.job.unread:
            yield ui.warning(messages.READ_FIRST)
        elif self.services.asks_for_root:
            yield ui.warning(
                t("You are not root. Applying asks for root access, perhaps with your password.")
            )

    def _fields(self) -> Iterator[ui.Field]:
        if self._blocked or self._beginning:
            return
        for number, drive in enumerate(self.job.drives):
            whole, shortest = self._tokens(drive)
            alone = len(self.job.drives) == 1 and whole == drive.token
            caption = messages.FIRST(what=t("serial")) if alone else ui.short(drive.path)
            hint = t("last four, or all") if shortest != whole else messages.TYPE(token=whole)
            yield ui.Field(f"token{number}", caption, hint=hint)
        if self._final_word:
            yield ui.Field("word", t("And"), hint=messages.TYPE_WORD(word=self._final_word))
        if self.job.takes_passphrase:
            yield from asking.passphrase_fields(t("new passphrase; if lost, so is the data"))

    def _tokens(self, drive: Identity) -> tuple[str, str]:
        """Return the token to type, and the shortest sufficient part.

        The token is the serial number, or the device name if another attached or selected drive has the same
        serial number. The last characters of an unambiguous serial number are sufficient.
        """
        session, found = self.desk.selected, self.desk.found
        known = session.machine.drives if session else ()
        attached: tuple[Drive | Identity, ...] = (*known, *self.desk.answered, *self.job.drives)
        others = {one.token for one in attached if one.path != drive.path}
        # An unread drive may have a serial number with the same end.
        if any(one is None for path, one in found.items() if path != drive.path):
            others.add(f"?{drive.token}")
        token = ui.short(drive.path) if drive.token in others else drive.token
        end = token[-ENOUGH:]
        alike = any(other.endswith(end) for other in others)
        # A leading space in the last characters would be invisible.
        whole = token != drive.serial or alike or len(token) <= ENOUGH or " " in end
        return token, token if whole else end

    def _actions(self) -> ui.Actions:
        if self._beginning:
            return
        if self.services.apply_obstacle:
            yield ui.Action("save", "enter", messages.SAVE)
        elif not self.job.unread:
            yield ui.ending("apply", "enter", self.job.verb)
        elif self.services.asks_for_root:
            yield ui.Action("as-root", "enter", messages.READ_AS_ROOT)
        else:
            yield ui.Action("back", "enter", messages.BACK)
        yield ui.Action("commands", "f3", messages.COMMANDS)
        yield ui.Action("save", "f4", messages.SAVE)

    def act_apply(self) -> None:
        for number, drive in enumerate(self.job.drives):
            asking.check_token(self.values, number, drive, *self._tokens(drive))
        if self._final_word and self.values.get("word", "").strip() != self._final_word:
            raise Refused(messages.FIRST(what=messages.TYPE_WORD(word=self._final_word)))
        if self.job.takes_passphrase:
            self._secret = asking.passphrase_of(self.values)
            if fault := passphrase_fault(self._secret):
                raise Refused(messages.WEAK(fault=fault))
            if (warning := passphrase_warning(self._secret)) and self._warned != self._secret:
                self._warned = self._secret
                raise Refused(t("{warning} Press Enter again to use it anyway.", warning=warning))
        if self.doing:
            self._pressed, self.doing = True, t("Starting as soon as the rehearsal is done.")
        else:
            self.desk.with_root(self, self._begin)

    def _begin(self) -> None:
        if self.doing:
            self._pressed = True
            return
        tokens = (*self.job.document.tokens, *filter(None, (self._final_word,)))
        secret, self._secret = self._secret, None
        self._beginning = True

        def begun(run: Path) -> None:
            self._beginning, self._warned = False, b""
            self.open(WorkScreen, run, job=self.job)

        def start() -> Path:
            return self.services.as_root().start(self.job.document, tokens, secret)

        self.later(t("Checking the drive again, then starting ..."), start, begun)


def _identity(drive: Identity) -> ui.Para:
    name, model = ui.strong(ui.short(drive.path)), drive.model or messages.NO_NAME
    return ui.para(name, model, format_capacity(drive.size_bytes), ui.strong(serial_of(drive)))
