"""Screen 4: lost data, steps, and the drive's serial number to confirm."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from wizard.model.errors import DiskwrightError, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.said import Sentence, t
from wizard.plan.request.encryption import passphrase_fault, passphrase_warning
from wizard.plan.undo_policy import WORD, UndoSpace
from wizard.ui import messages as words
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import short
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import save_job
from wizard.ui.dialogs.pages import Page
from wizard.ui.jobs.job import READ_FIRST, AnyJob

COMMANDS = t("commands")
SAVE = t("save")

ENOUGH = 4
"""Number of characters required from the end of an unambiguous serial number."""

HELP = (
    t("The serial number confirms the right drive. The drive label shows it too."),
    t("Before the first write, the drive is checked again. If anything differs, no data is written."),
    t("The work runs in a separate process. Closing this terminal does not stop the run."),
)


class Review(Screen):
    """Final confirmation of a job. The token field has the focus, and Enter in the last field applies."""

    step = ui.ScreenStep.REVIEW

    def __init__(self, desk: Desk, job: AnyJob) -> None:
        super().__init__(desk)
        self.job = job
        self._room: UndoSpace | None = None
        self._measuring = self._pressed = self._beginning = False
        self._warned = b""
        self._typed: dict[str, str] = {}

    def entered(self) -> None:
        """Start the rehearsal that measures the space for undo, if possible."""
        if self._room is not None or self._measuring or self._blocked or self.job.word(self.services):
            return
        if self.job.rehearses(self.services):
            self._measuring = True
            # Exit waits until the scratch copies are removed.
            self.desk.later(self, self._measure, self._measured, self._not_measured, finishes=True)

    def _measure(self) -> UndoSpace:
        return self.job.room(self.services)

    def _measured(self, room: UndoSpace) -> None:
        self._room, self._measuring = room, False
        pressed, self._pressed = self._pressed, False
        # Only start a run if this screen is visible.
        if pressed and room.fits and not room.lost and self.desk.screen is self:
            self._apply()

    def _not_measured(self, error: DiskwrightError) -> None:
        self._measuring = self._pressed = False
        self.tell(str(error), ui.Tone.WARN)

    @property
    def _blocked(self) -> bool:
        return bool(self.services.apply_obstacle) or self.job.unread

    @property
    def _final_word(self) -> str:
        """Word to type in addition to the tokens if undo is impossible or lacks space."""
        return self.job.word(self.services) or ("" if self._room is None or self._room.fits else WORD)

    @property
    def may_leave(self) -> bool:
        """True unless the run is starting."""
        return not self._beginning

    def view(self) -> ui.View:
        """Return the view, with the losses first."""
        return ui.View(
            "review",
            ui.ScreenStep.REVIEW,
            self.job.title,
            tuple(self._actions()),
            ", ".join(short(drive.path) for drive in self.job.drives),
            above=(
                self.job.banner(self.services, final=bool(self._final_word)),
                *map(_identity, self.job.drives),
                *self.job.bars,
                *self._above(),
            ),
            fields=() if self._blocked or self._beginning else tuple(self._fields()),
            panes=self.job.panes(self.services),
            busy=self._measuring or self._beginning,
            help=(
                *HELP,
                *(
                    (t("The passphrase is not stored. Several hard-to-guess words are best."),)
                    if self.job.takes_passphrase
                    else ()
                ),
            ),
        )

    def _above(self) -> Iterator[ui.Block]:
        if self._beginning:
            yield ui.Progress(None, t("Checking the drive again, then starting ..."))
        elif self._measuring:
            yield ui.Progress(
                None,
                t("Starting as soon as the rehearsal is done.")
                if self._pressed
                else t("Rehearsing on a scratch copy. The drive does not change yet ..."),
            )
        elif self._room is not None and self._room.sentence and self._shows_room(self._room):
            tone = ui.Tone.PLAIN if self._room.fits else ui.Tone.WARN
            yield ui.para(ui.muted(t("Space:")), ui.Piece(self._room.sentence, tone), hang=2)
        if self.services.apply_obstacle:
            yield ui.para(ui.Piece(self.services.apply_obstacle, ui.Tone.WARN), hang=2)
            if self.services.needs_root:
                yield ui.para(t("Save and apply later with:"))
                yield ui.Command((self.job.command(self.services, "FILE"),))
        elif self.job.unread:
            yield ui.para(ui.Piece(READ_FIRST, ui.Tone.WARN))
        elif self.services.asks_for_root:
            yield ui.para(
                ui.Piece(
                    t("You are not root. Applying asks for root access, perhaps with your password."),
                    ui.Tone.WARN,
                )
            )

    def _shows_room(self, room: UndoSpace) -> bool:
        """Return True if old contents need space for undo, or if the space is too small."""
        return not room.fits or not self.job.restores_nothing(self.services)

    def _fields(self) -> Iterator[ui.Field]:
        for number, drive in enumerate(self.job.drives):
            whole = self._token(drive)
            token = printable(whole, 40)
            can_cut = self._shortest_token(drive) != whole
            alone = len(self.job.drives) == 1 and whole == drive.token
            caption = t("Serial") if alone else words.TOKEN_OF(drive=short(drive.path))
            whole_hint = words.HINT_WHOLE if drive.serial else Sentence("type {token}: no serial number")
            hint = t("last four of {token}, or all", token=token) if can_cut else whole_hint(token=token)
            key = f"token{number}"
            yield ui.Field(key, caption, self._typed.get(key, ""), hint)
        if self._final_word:
            hint = t("type {word}: this cannot be undone", word=self._final_word)
            yield ui.Field("word", t("And"), self._typed.get("word", ""), hint)
        if self.job.takes_passphrase:
            yield ui.Field(
                "passphrase",
                words.PASSPHRASE,
                "",
                t("new passphrase; if lost, so is the data"),
                secret=True,
            )
            yield ui.Field("again", words.AGAIN, "", words.AGAIN_HINT, secret=True)

    def _tokens(self, drive: Identity) -> tuple[str, ...]:
        """Return the tokens of all other attached or selected drives."""
        machine, found = self.desk.session.machine, self.desk.found
        answered = (one[0] for one in found.values() if one)
        attached = (*(machine.drives if machine else ()), *answered)
        others = {one.token for one in attached if one.path != drive.path}
        # An unread drive may have a serial number with the same end.
        waits = any(one is None for path, one in found.items() if path != drive.path)
        unknown = (f"?{drive.token}",) if waits else ()
        return (*others, *unknown, *(one.token for one in self.job.drives if one.path != drive.path))

    def _token(self, drive: Identity) -> str:
        """Return the serial number, or the device name if another drive has the same serial number."""
        return drive.path.removeprefix("/dev/") if drive.token in self._tokens(drive) else drive.token

    def _shortest_token(self, drive: Identity) -> str:
        return _shortened(self._token(drive), self._tokens(drive), serial=self._by_serial(drive))

    def _by_serial(self, drive: Identity) -> bool:
        return self._token(drive) == drive.serial

    def _actions(self) -> Iterator[ui.Action]:
        if self._beginning:
            return
        if self.services.apply_obstacle:
            yield ui.Action("save", "enter", SAVE)
        elif self.job.unread:
            yield (
                ui.Action("as-root", "enter", t("read as root"))
                if self.services.asks_for_root
                else ui.Action("back", "enter", ui.BACK)
            )
        else:
            yield ui.Action("apply", "enter", self.job.verb, ends=True)
        yield ui.Action("commands", "f3", COMMANDS)
        yield ui.Action("save", "f4", SAVE)
        yield ui.Action("back", "escape", ui.BACK)

    def turned(self, _field: str, values: ui.Values) -> None:
        """Remember the typed values."""
        self._keep(values)

    def _keep(self, values: ui.Values) -> None:
        self._typed = {key: text for key, text in values.items() if key not in ("passphrase", "again")}

    def act_apply(self, _row: str, values: ui.Values) -> None:
        """Check the typed values, then start the job as root."""
        self._keep(values)
        for number, drive in enumerate(self.job.drives):
            self._check_token(drive, values.get(f"token{number}", "").strip())
        if self._final_word and values.get("word", "").strip() != self._final_word:
            raise Refused(str(t("Type {word} too: this cannot be undone.", word=self._final_word)))
        self._secret = self._passphrase(values) if self.job.takes_passphrase else None
        if self._measuring:
            self._pressed = True
            return
        self._apply()

    def _check_token(self, drive: Identity, typed: str) -> None:
        if is_token(typed, self._token(drive), self._tokens(drive), serial=self._by_serial(drive)):
            return
        token = printable(self._shortest_token(drive), 40)
        said = words.WRONG if typed else words.EMPTY
        raise Refused(str(said(drive=short(drive.path), token=token)))

    def _passphrase(self, values: ui.Values) -> bytes:
        """Return the repeated passphrase. Raises Refused if invalid, and once if weak."""
        secret = os.fsencode(values.get("passphrase", ""))
        if not secret:
            raise Refused(str(words.NO_PASSPHRASE))
        if fault := passphrase_fault(secret):
            raise Refused(str(t("This passphrase {fault}.", fault=fault)))
        if values.get("again") != values.get("passphrase"):
            raise Refused(str(words.DIFFERENT))
        if (warning := passphrase_warning(secret)) and self._warned != secret:
            self._warned = secret
            raise Refused(str(t("{warning} Press Enter again to use it anyway.", warning=warning)))
        return secret

    _secret: bytes | None = None

    def _apply(self) -> None:
        self.desk.with_root(self, self._begin)

    def _begin(self) -> None:
        tokens = [drive.token for drive in self.job.drives]
        tokens += [self._final_word] if self._final_word else []
        secret, self._secret = self._secret, None
        self._beginning = True
        self.desk.later(
            self, lambda: self.job.start(self.services, tokens, secret), self._begun, self._not_begun
        )

    def _begun(self, run: Path) -> None:
        self._beginning = False
        self._warned = b""
        self.desk.session = replace(self.desk.session, run=run)
        self.desk.open_run(run, job=self.job)

    def _not_begun(self, error: DiskwrightError) -> None:
        self._beginning = False
        self.tell(str(error), ui.Tone.DANGER)

    def act_commands(self, _row: str, values: ui.Values) -> None:
        """Show all steps and commands."""
        self._keep(values)
        self.desk.go(Page(self.desk, COMMANDS, self.job.commands(self.services)))

    def act_save(self, _row: str, values: ui.Values) -> None:
        """Save the job to a file."""
        self._keep(values)
        save_job(self.desk, self, self.job)

    def act_as_root(self, _row: str, _values: ui.Values) -> None:
        """Read the drives as root and plan again."""
        self.desk.with_root(self, self.desk.read_again)

    def act_back(self, _row: str, values: ui.Values) -> None:
        """Return to the previous screen, unless the run is just starting."""
        if self.may_leave:
            self.desk.back()


def _identity(drive: Identity) -> ui.Para:
    """Return name, model, size and serial number."""
    size = t("{size:size}", size=drive.size_bytes)
    serial = (ui.muted(t("serial")), ui.strong(drive.serial)) if drive.serial else ()
    model = printable(drive.model, 40) if drive.model else t("no name")
    return ui.para(ui.strong(short(drive.path)), model, size, *serial, hang=2)


def _shortened(token: str, others: Iterable[str], *, serial: bool) -> str:
    """Return the shortest sufficient part of a token: the last characters of an unambiguous serial, or all.

    `others` are the tokens of other drives. Short tokens and device names are not _shortened.
    """
    end = token[-ENOUGH:]
    alike = any(other.endswith(end) for other in others)
    # A leading space in the last characters would be invisible.
    whole = not serial or alike or len(token) <= ENOUGH or " " in end
    return token if whole else end


def is_token(typed: str, token: str, others: Iterable[str], *, serial: bool) -> bool:
    """Return True if the text is the token or the sufficient part."""
    return bool(typed) and typed in (token, _shortened(token, others, serial=serial))
