"""Select a filesystem from the ranking for a workload and drive, with reasons, and options of it.

A dangerous option requires typing the danger phrase.
"""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from wizard.advice import request
from wizard.advice.catalogue import load_catalogue
from wizard.advice.missing import for_files, lacking
from wizard.advice.ranking import site_of
from wizard.filesystems.registry import MADE, title_of
from wizard.model.advice import Choice, Unmade
from wizard.model.errors import BadInput
from wizard.model.finding import Severity
from wizard.model.said import t
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows
from wizard.ui.components.drive_rows import CAPTIONS
from wizard.ui.components.plan_rows import rating
from wizard.ui.components.reasons import evidence_blocks
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog
from wizard.ui.dialogs.pages import Page

SPOKEN = 1000
"""Width that no terminal reaches, since the pane shows the sentence.

Interfaces without panes show the sentence in the row.
"""


class Filesystem(Screen):
    """The ranking of filesystems for volume `index` of the session, or for the first one."""

    place = "filesystem"
    columns = (ui.Column(), ui.Column(), ui.Column(least=SPOKEN))
    help = (
        t(
            "recommended: best fit. good too: sound second choice. not recommended: poor for this workload, "
            "or without any advantage. cannot: not possible here."
        ),
    )

    def __init__(self, desk: Desk, index: int) -> None:
        super().__init__(desk)
        self._index, self._advice = index, draft.advice_for(self.session, index)
        self.title = t("Filesystem for: {purpose}", purpose=self._advice.workload.title)
        self.about = self.session.on_drive
        specs = self.session.specs[index : index + 1]
        self._asked = {one.choice.filesystem: draft.taken_for(one) for one in specs}
        self._chosen = next(iter(self._asked), "")
        self.moved(self._chosen or next((one.filesystem for one in self._advice.choices), ""))

    def _above(self) -> ui.Blocks:
        if not self._advice.chosen:
            yield advice_rows.none_usable(self._advice)

    def _rows(self) -> ui.Listed:
        for choice in for_files(self._advice.choices):
            name, why_not = choice.filesystem, choice.obstacles[0] if choice.obstacles else ""
            yield ui.row(
                name,
                ui.strong(title_of(name)),
                rating(choice),
                "" if why_not else choice.sentence,
                chosen=name == self._chosen,
                why_not=why_not,
            )
        for unmade in self._advice.unmade:
            cannot, never = ui.muted(messages.IMPOSSIBLE), t("Recognised, but never created.")
            yield ui.row(unmade.filesystem, unmade.title, cannot, "", why_not=never)

    def _actions(self) -> ui.Actions:
        yield ui.Action("take", "enter", messages.USE, self.against)
        yield ui.Action("options", "o", messages.OPTIONS, self.against)
        yield ui.Action("why", "w", messages.WHY)

    def _panes(self) -> ui.Panes:
        if taken := self._taken:
            title = title_of(taken.choice.filesystem)
            yield ui.Pane(title, tuple(advice_rows.choice_blocks(taken.choice, taken.doubts)))
        elif unmade := self._unmade:
            yield ui.Pane(unmade.title, tuple(advice_rows.unmade_blocks(unmade)))
        if blocks := tuple(advice_rows.advice_blocks(self._advice)):
            yield ui.Pane(messages.NOTES, blocks)

    @property
    def _taken(self) -> request.Taken | None:
        choice = self._advice.choice(self.row)
        return self._asked.get(self.row) or (request.Taken(choice) if choice else None)

    @property
    def _unmade(self) -> Unmade | None:
        return next((one for one in self._advice.unmade if one.filesystem == self.row), None)

    def moved(self, row: str) -> None:
        self.row = row
        choice = self._advice.choice(row)
        lacks = choice is not None and choice.obstacles
        self.missing = lacking(self.session.machine, MADE[row].makers) if lacks else None

    def forget(self) -> None:
        self.tell("")

    def act_take(self) -> None:
        if taken := self._taken:
            self.desk.session = draft.with_filesystem(self.session, self._index, taken)
            self.desk.back()

    def act_options(self) -> None:
        row, workload = self.row, self._advice.workload.id
        if taken := self._taken:
            keep = partial(self._asked.__setitem__, row)
            self.open(Options, workload, taken, keep, advised=self._advice.choice(row))

    def act_why(self) -> None:
        if taken := self._taken:
            page = advice_rows.choice_page(taken.choice, self._advice)
            self.open(Page, title_of(taken.choice.filesystem), page)
        elif unmade := self._unmade:
            blocks = (*advice_rows.unmade_blocks(unmade), ui.GAP, *evidence_blocks(unmade.evidence))
            self.open(Page, unmade.title, blocks)

    def equipped(self) -> None:
        self._advice = self.session.advise(self._advice.workload.id)
        self.moved(self.row)


DANGER = "danger"
USED = t("Recommended options are used automatically, unless you add a conflicting option.")


class Options(Screen):
    """Selection of mkfs and mount options for the filesystem of `taken` and the workload of the volume.

    `take` receives the choice after every change and may refuse, which is shown here. This screen stays open.
    `advised` is the choice without added options, if known.
    """

    place = "options"
    many = True
    title = messages.OPTIONS_TITLE
    help = (
        USED,
        t("not recommended: possible, but with a reason against. The plan repeats the reason."),
        t(
            "danger: puts data at risk. To add the option, type the warning. System volumes never get such "
            "an option."
        ),
    )

    def __init__(
        self,
        desk: Desk,
        workload: str,
        taken: request.Taken,
        take: Callable[[request.Taken], None],
        advised: Choice | None = None,
    ) -> None:
        super().__init__(desk)
        self._workload, self._taken, self._take = workload, taken, take
        self._advised = advised or taken.choice
        title, drive = title_of(self._advised.filesystem), self.session.drive.path
        self.about = t("{filesystem} on {drive}", filesystem=title, drive=drive)
        # Without option names, no option can be removed and all doubts remain.
        self._standing = () if taken.names else taken.doubts
        session, profile = self.session, self.services.profile(workload)
        self._site = site_of(session.machine, session.drive, session.diagnosis.recording, profile, None)
        offers = request.offered(self._advised, self._site, load_catalogue())
        self._offers = {offer.option.id: offer for offer in offers}
        self.row = next(iter(self._offers), "")

    def _rows(self) -> ui.Listed:
        for name, offer in self._offers.items():
            option = offer.option
            yield ui.row(
                name,
                ui.strong(option.text),
                ui.muted(option.kind.value),
                self._word(offer),
                chosen=self._is_used(offer),
                why_not="" if offer.advised else offer.refusal,
            )

    def _panes(self) -> ui.Panes:
        if not (offer := self._offer):
            return
        option = offer.option
        blocks = [ui.para(option.does), ui.label(t("For:"), option.why)]
        if not option.does:
            blocks = [ui.para(option.why)]
        if option.risk:
            blocks.append(ui.warning(messages.COST, option.risk))
        if option.never:
            caption = CAPTIONS[Severity.DANGER] if option.danger else ui.warn(t("Against:"))
            blocks.append(ui.para(caption, option.never))
        if offer.excludes:
            blocks.append(ui.para(t("Conflicts with {options:and}.", options=offer.excludes)))
        if offer.refusal:
            blocks.append(ui.alarm(messages.CANNOT, offer.refusal))
        yield ui.Pane(option.text, tuple(blocks))

    def _actions(self) -> ui.Actions:
        if offer := self._offer:
            is_added = offer.option.id in self._taken.names
            label = messages.DROP if is_added else messages.ADD
            why_not = USED if offer.advised and not is_added else self.against
            for key in ("enter", "space"):
                yield ui.Action("turn", key, label, why_not, aside=key == "space")

    def _word(self, offer: request.Offered) -> ui.Piece:
        option = offer.option
        if option.id in self._taken.names:
            return ui.accent(t("added"))
        if offer.advised:
            used = self._is_used(offer)
            return ui.good(messages.RECOMMENDED) if used else ui.muted(t("not used"))
        if offer.refusal:
            return ui.muted(messages.IMPOSSIBLE)
        if option.danger:
            return ui.danger(t("danger"))
        return ui.warn(messages.NOT_RECOMMENDED) if option.never else ui.Piece(t("optional"))

    def _is_used(self, offer: request.Offered) -> bool:
        option, choice = offer.option, self._taken.choice
        written = (*choice.mkfs, *choice.mount)
        return option.id in self._taken.names or (
            offer.advised and any(one.text == option.text for one in written)
        )

    @property
    def _offer(self) -> request.Offered | None:
        return self._offers.get(self.row)

    def act_turn(self) -> None:
        offer = self._offer
        if offer is None:
            return
        names, name = self._taken.names, offer.option.id
        if name in names:
            self._settle([known for known in names if known != name])
        elif offer.option.phrase:
            self._ask(offer)
        else:
            self._settle([*names, name])

    def _ask(self, offer: request.Offered) -> None:
        option = offer.option

        def read(values: ui.Values) -> Callable[[], None]:
            if not request.is_danger(option, values[DANGER].strip()):
                raise BadInput(
                    t("The text does not match. Type the words above exactly, or omit the option.")
                )
            return partial(self._settle, [*self._taken.names, option.id], option.phrase.english)

        blocks = (
            ui.alarm(t("{option} puts data at risk.", option=option.text), option.never),
            ui.para(t("To use it anyway, type exactly:"), ui.strong(option.phrase)),
        )
        fields = (ui.Field(DANGER, t("Confirm")),)
        self.open(Dialog, option.text, blocks, fields, read, messages.USE)

    def _settle(self, names: Sequence[str], typed: str = "") -> None:
        """Use these options. Raises DiskwrightError and changes nothing if they are refused."""
        wanted = {offer.option.phrase.english for name, offer in self._offers.items() if name in names}
        given = dict.fromkeys((*self._taken.phrases, typed))
        phrases = [phrase for phrase in given if phrase and phrase in wanted]
        taken = request.take_options(
            self._advised, names, phrases, self._site, load_catalogue(), self._workload
        )
        taken = replace(taken, doubts=(*self._standing, *taken.doubts))
        self._take(taken)
        self._taken = taken
