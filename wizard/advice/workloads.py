"""Load workloads from profiles/workloads and resolve the options and evidence that they reference."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import asdict, replace

from wizard.advice import catalogue
from wizard.advice.catalogue import CatalogueOption, OptionKind
from wizard.advice.evidence import load_evidence
from wizard.filesystems.registry import MADE
from wizard.model.advice import Evidence, Rank, Workload
from wizard.model.errors import BadInput, FrozenStruct
from wizard.model.said import NO_TEXT, Message, ProfileText, Sentence, join, t

TOGETHER = Sentence("{one} and {other} cannot be combined.")
OTHER_FILESYSTEM = Sentence("{option} is for {filesystems:list}, not for {filesystem}.")

BEHIND_THE_BUNDLED = 1000
"""Default `order` of a workload."""

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,11}")


class ShingledForm(FrozenStruct):
    """Overrides for shingled drives. Omitted keys are the same as for other drives, and omitted `evidence`
    is what was `measured_shingled`, if anything."""

    sentence: ProfileText
    place: Rank | None = None
    results: ProfileText = NO_TEXT
    evidence: tuple[str, ...] | None = None
    mkfs: tuple[str, ...] | None = None
    mount: tuple[str, ...] | None = None
    schedulers: tuple[str, ...] | None = None


class ChoiceForm(FrozenStruct):
    """A filesystem's rank for a workload, as defined in a file. All references are ids. `results`: sentences
    with figures of the evidence. `unfit`: never moves
    up, even if better filesystems are not possible."""

    filesystem: str
    sentence: ProfileText
    place: Rank = Rank.NOT_RECOMMENDED
    results: ProfileText = NO_TEXT
    evidence: tuple[str, ...] = ()
    mkfs: tuple[str, ...] = ()
    mount: tuple[str, ...] = ()
    schedulers: tuple[str, ...] = ()
    unfit: bool = False
    shingled: ShingledForm | None = None


class WorkloadForm(FrozenStruct):
    """A file in profiles/workloads. `order`: position in lists. `root`: the volume contains the system.
    `solid_state`: for drives that do not rotate.

    `measured` and `measured_shingled`: measurements for this workload on ordinary and shingled drives, with
    any result. `regret` and `regret_shingled`: why the recommended filesystem is not the fastest one.
    `trial`: loads for comparing filesystems.
    """

    id: str
    title: ProfileText
    summary: ProfileText
    label: str
    choices: tuple[ChoiceForm, ...]
    order: int = BEHIND_THE_BUNDLED
    root: bool = False
    solid_state: bool = False
    measured: tuple[str, ...] = ()
    measured_shingled: tuple[str, ...] = ()
    regret: ProfileText = NO_TEXT
    regret_shingled: ProfileText = NO_TEXT
    trial: tuple[str, ...] = ()


class RankedChoice(FrozenStruct):
    """A filesystem's rank with the options and evidence. `schedulers` are in order of preference. `results`:
    sentences with figures of the evidence. `ranked`: False if the workload does not mention the filesystem.
    `moves_up`: can replace a better, impossible filesystem."""

    filesystem: str
    place: Rank
    sentence: Message
    evidence: tuple[Evidence, ...] = ()
    mkfs: tuple[CatalogueOption, ...] = ()
    mount: tuple[CatalogueOption, ...] = ()
    schedulers: tuple[CatalogueOption, ...] = ()
    results: Message = NO_TEXT
    ranked: bool = True
    moves_up: bool = True


class Ranking(FrozenStruct):
    """All filesystems that diskwright creates, for a workload on ordinary or shingled drives. `figures`:
    published measurements for the workload. `regret`: why the fastest one is not the recommended one."""

    choices: tuple[RankedChoice, ...]
    figures: tuple[Evidence, ...] = ()
    regret: ProfileText = NO_TEXT

    @property
    def recommended(self) -> str:
        """The recommended filesystem."""
        return next(one.filesystem for one in self.choices if one.place is Rank.RECOMMENDED)

    def show(self, better: str, worse: str, rotational: bool | None = None) -> bool:
        """Return True if any measurement proves that `better` beats `worse` on such a drive."""
        return any(card.shows(better, worse) for card in self.figures if card.applies(rotational))


class Profile(FrozenStruct):
    """A workload with all data needed for advice. `options`: the whole catalogue. `trial`: ids of loads for
    comparing filesystems."""

    workload: Workload
    root: bool
    usual: Ranking
    shingled: Ranking
    options: tuple[CatalogueOption, ...]
    solid_state: bool = False
    trial: tuple[str, ...] = ()


def load_workloads() -> tuple[Profile, ...]:
    """Return all workloads, most common first and user-defined ones last unless they have an order. Raises
    BadInput with file, line and key for any invalid profile."""
    options, evidence = catalogue.load_catalogue(), load_evidence()
    places = catalogue.gather("workloads", WorkloadForm, lambda form: (form,))
    in_order = sorted(places.values(), key=lambda place: place.entry.order)
    return tuple(_WorkloadLoader(place, options, evidence).profile() for place in in_order)


def find_workload(name: str) -> Profile:
    """Return the workload with this id. Raises BadInput with the known ids."""
    profiles = load_workloads()
    for profile in profiles:
        if profile.workload.id == name:
            return profile
    known = tuple(profile.workload.id for profile in profiles)
    near = tuple(get_close_matches(name, known))
    raise BadInput(t("Unknown workload {name}. Try {known:list}.", name=repr(name), known=near or known))


class _WorkloadLoader:
    """Checks one workload file and resolves its references."""

    def __init__(
        self,
        place: catalogue.ProfilePlace[WorkloadForm],
        options: dict[str, CatalogueOption],
        evidence: dict[str, Evidence],
    ) -> None:
        self.place, self.form, self.options, self.evidence = place, place.entry, options, evidence

    def profile(self) -> Profile:
        self._check_form()
        workload = Workload(
            self.form.id, self.form.title, self.form.summary, str(self.place.path), self.form.label
        )
        return Profile(
            workload,
            self.form.root,
            self._ranking("measured", self.form.measured, self.form.regret),
            self._ranking("measured_shingled", self.form.measured_shingled, self.form.regret_shingled),
            tuple(self.options.values()),
            self.form.solid_state,
            self.form.trial,
        )

    def _ranking(self, key: str, measured: tuple[str, ...], regret: ProfileText) -> Ranking:
        """Append the regret to the results of a recommended filesystem that is not the fastest."""
        within = key.partition("_")[2]
        choices = []
        for index, form in enumerate(self.form.choices):
            at, choice = f"choices[{index}]", form
            if form.unfit and form.place is not Rank.NOT_RECOMMENDED:
                raise self.place.fault(f"{at}.unfit", t("only a rejected filesystem can be unfit."))
            if within and form.shingled is not None:
                own = {name: value for name, value in asdict(form.shingled).items() if value is not None}
                at, choice = f"{at}.{within}", replace(form, **{"evidence": measured or form.evidence, **own})
            choices.append(self._standing(at, choice))
        self._check_places([one.place for one in choices], f"{within}.place".strip("."))
        named = {one.filesystem for one in choices}
        choices += [
            RankedChoice(name, Rank.NOT_RECOMMENDED, MADE[name].in_general, ranked=False, moves_up=False)
            for name in MADE
            if name not in named
        ]
        ranking = Ranking(tuple(choices), self._evidence(key, measured), regret)
        if not regret or not any(ranking.show(name, ranking.recommended) for name in MADE):
            return ranking
        regretted = (
            replace(one, results=join(one.results, regret) if one.results else regret)
            if one.place is Rank.RECOMMENDED
            else one
            for one in choices
        )
        return replace(ranking, choices=tuple(regretted))

    def _check_form(self) -> None:
        self.place.check_text("title", self.form.title)
        self.place.check_text("summary", self.form.summary)
        if not LABEL.fullmatch(self.form.label):
            raise self.place.fault(
                "label",
                t(
                    "a label has 1 to 12 letters, digits, hyphens or underscores, starting with "
                    "a letter or digit."
                ),
            )
        names = [choice.filesystem for choice in self.form.choices]
        for index, name in enumerate(names):
            if name not in MADE:
                message = catalogue.NONE_OF(name=repr(name), known=tuple(MADE))
                raise self.place.fault(f"choices[{index}].filesystem", message)
            if name in names[:index]:
                raise self.place.fault(
                    f"choices[{index}].filesystem", t("{filesystem} is ranked twice.", filesystem=name)
                )

    def _check_places(self, places: Sequence[Rank], key: str) -> None:
        message = t("exactly one filesystem must be chosen, and at most one may be second.")
        for place in (Rank.RECOMMENDED, Rank.ALTERNATIVE):
            holders = [index for index, rank in enumerate(places) if rank is place]
            if len(holders) > 1:
                raise self.place.fault(f"choices[{holders[1]}].{key}", message)
            if not holders and place is Rank.RECOMMENDED:
                raise self.place.fault("choices[0]", message)

    def _standing(self, key: str, form: ChoiceForm) -> RankedChoice:
        if not form.sentence.english.strip():
            raise self.place.fault(f"{key}.sentence", catalogue.ONE_LINE(longest=catalogue.LONGEST_TEXT))
        return RankedChoice(
            form.filesystem,
            form.place,
            form.sentence,
            self._evidence(f"{key}.evidence", form.evidence),
            self._options(f"{key}.mkfs", OptionKind.MKFS, form.filesystem, form.mkfs),
            self._options(f"{key}.mount", OptionKind.MOUNT, form.filesystem, form.mount),
            self._options(f"{key}.schedulers", OptionKind.SCHEDULER, form.filesystem, form.schedulers),
            form.results,
            moves_up=not form.unfit,
        )

    def _evidence(self, key: str, names: tuple[str, ...]) -> tuple[Evidence, ...]:
        for name in names:
            if name not in self.evidence:
                raise self.place.fault(key, catalogue.NOT_IN_PROFILES(name=repr(name), folder="evidence"))
        return tuple(self.evidence[name] for name in names)

    def _options(
        self, key: str, kind: OptionKind, filesystem: str, names: tuple[str, ...]
    ) -> tuple[CatalogueOption, ...]:
        taken: list[CatalogueOption] = []
        for name in names:
            option = self.options.get(name)
            if option is None:
                raise self.place.fault(key, catalogue.NOT_IN_PROFILES(name=repr(name), folder="options"))
            if option.kind is not kind:
                fault = t(
                    "{option} is a {kind} option, not a {wanted} option.",
                    option=option.id,
                    kind=option.kind,
                    wanted=kind,
                )
                raise self.place.fault(key, fault)
            if option.filesystems and filesystem not in option.filesystems:
                fault = OTHER_FILESYSTEM(
                    option=option.id, filesystems=option.filesystems, filesystem=filesystem
                )
                raise self.place.fault(key, fault)
            if option.never:
                fault = t("{option} is never offered: {why}", option=option.id, why=option.never)
                raise self.place.fault(key, fault)
            for other in taken if kind is not OptionKind.SCHEDULER else ():
                excluded = option.id in other.conflicts or other.id in option.conflicts
                same = catalogue.flag_of(option) == catalogue.flag_of(other)
                if (excluded or same) and catalogue.meet(option, other):
                    raise self.place.fault(key, TOGETHER(one=other.id, other=option.id))
            taken.append(option)
        return tuple(taken)
