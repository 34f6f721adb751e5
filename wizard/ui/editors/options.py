"""Select options of a filesystem. A dangerous option requires typing the danger phrase."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wizard.advice.catalogue import OptionSite, load_catalogue
from wizard.advice.ranking import site_of
from wizard.advice.request import Taken, is_danger, offered, take_options
from wizard.filesystems.registry import title_of
from wizard.model.errors import BadInput
from wizard.model.said import Sentence, t
from wizard.ui import view as ui
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Typing

if TYPE_CHECKING:
    from wizard.advice.request import Offered
    from wizard.model.advice import Choice
    from wizard.ui.session import Session


HELP = (
    Sentence("Each row is an option of mkfs or mount."),
    Sentence("Recommended options are used automatically, unless you add a conflicting option."),
    Sentence("not recommended: possible, but with a reason against. The plan repeats the reason."),
    Sentence(
        "danger: puts data at risk. To add the option, type the warning. System "
        "volumes never get such an option."
    ),
    Sentence("cannot: not possible with this kernel, drive or purpose."),
)


DANGER = "danger"


class Options(Screen):
    """Selection of mkfs and mount options for the filesystem of `taken` and the workload of the volume.

    `take` receives the choice after every change and may refuse, which is shown here. This screen stays open.
    `advised` is the choice without added options, if known.
    """

    step = ui.ScreenStep.PLAN

    def __init__(
        self,
        desk: Desk,
        session: Session,
        workload: str,
        taken: Taken,
        take: Callable[[Taken], None],
        advised: Choice | None = None,
    ) -> None:
        super().__init__(desk)
        self._session, self._workload, self._taken, self._take = session, workload, taken, take
        self._advised = advised or self._recommended()
        # Without option names, no option can be removed and all doubts remain.
        self._standing = () if taken.names else taken.doubts
        self._offers = self._offered()
        self._at = self._offers[0].option.id if self._offers else ""

    def view(self) -> ui.View:
        """Return all options and a description of the selected one."""
        offer, drive = self._offer(self._at), self._session.drive
        return ui.View(
            "options",
            self.step,
            t("Options"),
            tuple(self._actions(offer)),
            about=t(
                "{filesystem} on {drive}",
                filesystem=title_of(self._advised.filesystem),
                drive=drive.path if drive else "",
            ),
            rows=ui.Rows(
                tuple(map(self._row, self._offers)),
                self._at,
                (ui.Column(), ui.Column(), ui.Column()),
                many=True,
            ),
            panes=(ui.Pane(offer.option.text, tuple(_blocks(offer))),) if offer else (),
            help=tuple(sentence() for sentence in HELP),
        )

    def _actions(self, offer: Offered | None) -> Iterator[ui.Action]:
        label, why_not = t("add"), self._why_not(offer) if offer else ""
        if offer and offer.option.id in self._taken.names:
            label = t("drop")
        if offer:
            yield ui.Action("turn", "enter", label, why_not)
            yield ui.Action("turn", "space", label, why_not, aside=True)
        yield ui.back_action()

    def _row(self, offer: Offered) -> ui.Row:
        option = offer.option
        chosen = None if offer.refusal and not offer.advised else self._is_used(offer)
        cells = (ui.strong(option.text), ui.muted(option.kind.value), self._word(offer))
        return ui.Row(option.id, cells, chosen=chosen, why_not="" if chosen is not None else offer.refusal)

    def _word(self, offer: Offered) -> ui.Piece:
        if offer.option.id in self._taken.names:
            return ui.Piece(t("added"), ui.Tone.ACCENT)
        if offer.advised:
            used = self._is_used(offer)
            return (
                ui.Piece(t("recommended"), ui.Tone.GOOD) if used else ui.Piece(t("not used"), ui.Tone.MUTED)
            )
        if offer.refusal:
            return ui.Piece(t("cannot"), ui.Tone.MUTED)
        if offer.option.danger:
            return ui.Piece(t("danger"), ui.Tone.DANGER)
        return ui.Piece(t("not recommended"), ui.Tone.WARN) if offer.option.never else ui.Piece(t("optional"))

    def _why_not(self, offer: Offered) -> ui.Text:
        """Return why the option cannot be added or removed, or an empty text."""
        if offer.option.id in self._taken.names:
            return ""
        return (
            t(
                "{option} is recommended. It is used unless you add a conflicting option.",
                option=offer.option.text,
            )
            if offer.advised
            else offer.refusal
        )

    def _is_used(self, offer: Offered) -> bool:
        """Return True if the option is used, alone or in a list."""
        option, choice = offer.option, self._taken.choice
        written = (*choice.mkfs, *choice.mount)
        return option.id in self._taken.names or (
            offer.advised and any(one.text == option.text for one in written)
        )

    def _offer(self, row: str) -> Offered | None:
        return next((offer for offer in self._offers if offer.option.id == row), None)

    def _recommended(self) -> Choice:
        """Return the recommended choice without added options."""
        taken, advice = self._taken, self._session.advice
        if not taken.names:
            return taken.choice
        if advice is None or advice.workload.id != self._workload:
            session = self._session
            assert session.machine is not None and session.drive is not None
            assert session.diagnosis is not None
            advice = self.services.advise(
                session.machine, session.drive, session.diagnosis.recording, self._workload
            )
        return advice.choice(taken.choice.filesystem) or taken.choice

    @property
    def _site(self) -> OptionSite:
        session = self._session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        profile = self.services.profile(self._workload)
        return site_of(session.machine, session.drive, session.diagnosis.recording, profile, None)

    def _offered(self) -> tuple[Offered, ...]:
        return offered(self._advised, self._site, load_catalogue())

    def moved(self, row: str) -> None:
        """Show the description of the option."""
        self._at = row

    def act_turn(self, row: str, _values: ui.Values) -> None:
        """Add or remove an option, after confirmation if dangerous."""
        offer = self._offer(row)
        if offer is None or self._why_not(offer) != "":
            return
        names, name = self._taken.names, offer.option.id
        if name in names:
            self._settle([known for known in names if known != name])
        elif offer.option.phrase:
            self._ask(offer)
        else:
            self._settle([*names, name])

    def _ask(self, offer: Offered) -> None:
        option = offer.option

        def typed(values: ui.Values) -> Callable[[], None]:
            if not is_danger(option, values.get(DANGER, "").strip()):
                raise BadInput(
                    t("The text does not match. Type the words above exactly, or omit the option.")
                )
            return lambda: self._settle([*self._taken.names, option.id], option.phrase.english)

        blocks = (
            ui.para(
                ui.Piece(t("{option} puts data at risk.", option=option.text), ui.Tone.DANGER), option.never
            ),
            ui.para(t("To use it anyway, type exactly:"), ui.strong(option.phrase)),
        )
        fields = (ui.Field(DANGER, t("Confirm"), hint=t("the words above")),)
        title, label = t("Danger: {option}", option=option.text), t("use")
        self.desk.go(Typing(self.desk, title, blocks, fields, typed, label))

    def _settle(self, names: Sequence[str], typed: str = "") -> None:
        """Use these options. Raises DiskwrightError and changes nothing if they are refused."""
        wanted = {offer.option.phrase.english for offer in self._offers if offer.option.id in names}
        phrases = [phrase for phrase in dict.fromkeys((*self._taken.phrases, typed)) if phrase in wanted]
        typed_phrases = [phrase for phrase in phrases if phrase]
        taken = take_options(
            self._advised, names, typed_phrases, self._site, load_catalogue(), self._workload
        )
        taken = replace(taken, doubts=(*self._standing, *taken.doubts))
        self._take(taken)
        self._taken = taken


def _blocks(offer: Offered) -> Iterator[ui.Block]:
    """Describe effect, purpose, cost and risks of an option."""
    option = offer.option
    if option.does:
        yield ui.para(option.does)
    yield ui.para(ui.muted(t("For:")), option.why, hang=2) if option.does else ui.para(option.why)
    if option.risk:
        yield ui.para(ui.Piece(t("Cost:"), ui.Tone.WARN), option.risk, hang=2)
    if option.never and option.danger:
        yield ui.para(ui.Piece(t("Danger:"), ui.Tone.DANGER), option.never, hang=2)
    elif option.never:
        yield ui.para(ui.Piece(t("Against:"), ui.Tone.WARN), option.never, hang=2)
    if offer.excludes:
        yield ui.para(t("Conflicts with {options:and}.", options=offer.excludes))
    if offer.refusal:
        yield ui.para(ui.Piece(t("Not possible here:"), ui.Tone.DANGER), offer.refusal, hang=2)
