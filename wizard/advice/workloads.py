"""Load workloads from profiles/workloads and resolve the options and evidence that they reference."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wizard.advice import catalogue as words
from wizard.advice.catalogue import CatalogueOption, OptionKind, flag_of, gather, load_catalogue, meet
from wizard.advice.catalogue import ProfilePlace as Entry
from wizard.advice.evidence import load_evidence
from wizard.advice.missing import FILESYSTEMS
from wizard.model.advice import Evidence, Rank, Workload
from wizard.model.errors import BadInput, printable
from wizard.model.said import NO_TEXT, Message, ProfileText, Sentence, join, t

TOGETHER = Sentence("{one} and {other} cannot be combined.")
OTHER_FILESYSTEM = Sentence("{option} is for {filesystems:list}, not for {filesystem}.")
MADE_DANGEROUS = Sentence(
    "The volume for {purpose} will be created with {option}; you confirmed the danger. {why}"
)
MADE_ASKED = Sentence(
    "The volume for {purpose} will be created with {option}, as requested but not recommended. {why}"
)
MOUNTED_DANGEROUS = Sentence(
    "The volume for {purpose} will be mounted with {option}; you confirmed the danger. {why}"
)
MOUNTED_ASKED = Sentence(
    "The volume for {purpose} will be mounted with {option}, as requested but not recommended. {why}"
)


BEHIND_THE_BUNDLED = 1000
"""The `order` of a workload that has none of its own."""

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,11}")


@dataclass(frozen=True, slots=True)
class ShingledForm:
    """What a file says differently for a shingled drive; a list that is left out stays as it is for other
    drives."""

    place: Rank
    sentence: ProfileText
    evidence: tuple[str, ...] | None = None
    mkfs: tuple[str, ...] | None = None
    mount: tuple[str, ...] | None = None
    schedulers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChoiceForm:
    """A filesystem's place for a workload, as a file has it: everything by id. `unfit` where it must not move
    up even if nothing that comes before it can be used."""

    filesystem: str
    place: Rank
    sentence: ProfileText
    evidence: tuple[str, ...] = ()
    mkfs: tuple[str, ...] = ()
    mount: tuple[str, ...] = ()
    schedulers: tuple[str, ...] = ()
    unfit: bool = False
    shingled: ShingledForm | None = None


@dataclass(frozen=True, slots=True)
class WorkloadForm:
    """A file in profiles/workloads. Lists of workloads go by `order`. `root` where the system itself lives on
    the volume, `solid_state` where it is for drives that do not rotate.

    `measured` names the measurements of this work, whichever filesystem they speak for, `measured_shingled`
    those on shingled drives; `regret` and `regret_shingled` say why a filesystem is advised that is not the
    fastest there. `trial` names the loads by which filesystems are tried.
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


@dataclass(frozen=True, slots=True)
class RankedChoice:
    """A filesystem's place with its options and evidence. `schedulers` in order of preference."""

    place: Rank
    sentence: Message
    evidence: tuple[Evidence, ...]
    mkfs: tuple[CatalogueOption, ...]
    mount: tuple[CatalogueOption, ...]
    schedulers: tuple[CatalogueOption, ...]


@dataclass(frozen=True, slots=True)
class CandidateProfile:
    """What a workload says of one filesystem, on drives in general and on shingled ones.

    `ranked` is false where the workload does not name it; `moves_up` is whether it may take the place of one
    that cannot be used.
    """

    filesystem: str
    usual: RankedChoice
    shingled: RankedChoice
    ranked: bool = True
    moves_up: bool = True


@dataclass(frozen=True, slots=True)
class PublishedMeasurements:
    """The published measurements of a workload, and why the fastest filesystem there is not the advised one
    (may be empty)."""

    figures: tuple[Evidence, ...] = ()
    regret: ProfileText = NO_TEXT

    def show(self, better: str, worse: str) -> bool:
        """Whether any of them carries that `better` did better than `worse`."""
        return any(card.shows(better, worse) for card in self.figures)

    def said_of(self, advised: str, sentence: Message) -> Message:
        """The advised filesystem's sentence. Where another one is shown to do better, it says by how much,
        and why that one is not advised."""
        others = {name for card in self.figures for name, _ in card.runs} & set(FILESYSTEMS)
        beaten = any(self.show(other, advised) for other in others)
        return join(sentence, self.regret) if beaten and self.regret else sentence


@dataclass(frozen=True, slots=True)
class Profile:
    """A workload with all that advice needs; `candidates` are all filesystems that diskwright makes. `never`
    are the options that the catalogue records as never offered, `always` those that need no workload to name
    them. `trial` are the ids of the loads by which filesystems are tried for it; the trial knows them."""

    workload: Workload
    root: bool
    candidates: tuple[CandidateProfile, ...]
    never: tuple[CatalogueOption, ...]
    always: tuple[CatalogueOption, ...] = ()
    measured: PublishedMeasurements = PublishedMeasurements()
    measured_shingled: PublishedMeasurements = PublishedMeasurements()
    solid_state: bool = False
    trial: tuple[str, ...] = ()

    def measured_on(self, *, shingled: bool) -> PublishedMeasurements:
        """What was measured of this work on such drives."""
        return self.measured_shingled if shingled else self.measured


def load_workloads() -> tuple[Profile, ...]:
    """Every workload, by what most people come for, and users' own last, unless they have an order; raises
    BadInput naming file, line and key of what is wrong in any profile."""
    options, evidence = load_catalogue(), load_evidence()
    places = gather(
        "workloads", WorkloadForm, lambda path, form: [Entry(path, "", form)], lambda form: form.id
    )
    in_order = sorted(places.values(), key=lambda place: place.entry.order)
    return tuple(_Joined(place, options, evidence).profile() for place in in_order)


def find_workload(name: str) -> Profile:
    """The workload with this id; raises BadInput naming the known ids."""
    profiles = load_workloads()
    for profile in profiles:
        if profile.workload.id == name:
            return profile
    known = tuple(profile.workload.id for profile in profiles)
    raise BadInput(
        str(
            t(
                "Unknown workload {name}. Choose one of {known:list}.",
                name=repr(printable(name, 40)),
                known=known,
            )
        )
    )


def _unranked(ranked: Iterable[str]) -> list[CandidateProfile]:
    """The filesystems that a workload does not rank, each rejected with its own general sentence."""
    named = set(ranked)
    standings = {
        name: RankedChoice(Rank.REJECTED, kind.in_general, (), (), (), ())
        for name, kind in FILESYSTEMS.items()
        if name not in named
    }
    return [
        CandidateProfile(name, standing, standing, ranked=False, moves_up=False)
        for name, standing in standings.items()
    ]


def _with_regret(
    candidate: CandidateProfile, measured: PublishedMeasurements, on_shingled: PublishedMeasurements
) -> CandidateProfile:
    """The candidate, with what it costs where it is chosen although another is shown to be faster."""

    def told(standing: RankedChoice, by: PublishedMeasurements) -> RankedChoice:
        if standing.place is not Rank.CHOSEN:
            return standing
        return replace(standing, sentence=by.said_of(candidate.filesystem, standing.sentence))

    return replace(
        candidate, usual=told(candidate.usual, measured), shingled=told(candidate.shingled, on_shingled)
    )


class _Joined:
    """One file's checks and the look-up of what it names."""

    def __init__(
        self, place: Entry[WorkloadForm], options: dict[str, CatalogueOption], evidence: dict[str, Evidence]
    ) -> None:
        self.place, self.form, self.options, self.evidence = place, place.entry, options, evidence

    def profile(self) -> Profile:
        self._check_form()
        workload = Workload(
            self.form.id, self.form.title, self.form.summary, str(self.place.path), self.form.label
        )
        ranked = tuple(
            self._candidate(f"choices[{index}]", choice) for index, choice in enumerate(self.form.choices)
        )
        self._check_places([candidate.usual.place for candidate in ranked], "place")
        self._check_places([candidate.shingled.place for candidate in ranked], "shingled.place")
        measured = PublishedMeasurements(self._evidence("measured", self.form.measured), self.form.regret)
        on_shingled = PublishedMeasurements(
            self._evidence("measured_shingled", self.form.measured_shingled), self.form.regret_shingled
        )
        ranked = tuple(_with_regret(candidate, measured, on_shingled) for candidate in ranked)
        candidates = (*ranked, *_unranked(candidate.filesystem for candidate in ranked))
        never = tuple(
            option
            for option in self.options.values()
            if option.never and not option.default and option.kind is not OptionKind.TUNE
        )
        always = tuple(option for option in self.options.values() if option.always)
        return Profile(
            workload,
            self.form.root,
            candidates,
            never,
            always,
            measured,
            on_shingled,
            self.form.solid_state,
            self.form.trial,
        )

    def _check_form(self) -> None:
        for key, text in (("title", self.form.title.english), ("summary", self.form.summary.english)):
            if not text.strip() or printable(text, 400) != text:
                raise self.place.fault(key, t("write one line of plain text."))
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
            if name not in FILESYSTEMS:
                said = words.NONE_OF(name=repr(printable(name, 20)), known=tuple(FILESYSTEMS))
                raise self.place.fault(f"choices[{index}].filesystem", said)
            if name in names[:index]:
                raise self.place.fault(
                    f"choices[{index}].filesystem", t("{filesystem} is ranked twice.", filesystem=name)
                )

    def _check_places(self, places: Sequence[Rank], key: str) -> None:
        shingled = "." in key
        if Rank.CHOSEN not in places:
            none = (
                Sentence("exactly one filesystem must be chosen on a shingled drive; found none.")
                if shingled
                else Sentence("exactly one filesystem must be chosen; found none.")
            )
            raise self.place.fault("choices[0]", none())
        for place, anywhere, there in (
            (
                Rank.CHOSEN,
                Sentence("exactly one filesystem must be chosen; found several."),
                Sentence("exactly one filesystem must be chosen on a shingled drive; found several."),
            ),
            (
                Rank.SECOND,
                Sentence("at most one filesystem may be second; found several."),
                Sentence("at most one filesystem may be second on a shingled drive; found several."),
            ),
        ):
            holders = [index for index, held in enumerate(places) if held is place]
            if len(holders) > 1:
                two = there if shingled else anywhere
                raise self.place.fault(f"choices[{holders[1]}].{key}", two())

    def _candidate(self, key: str, choice: ChoiceForm) -> CandidateProfile:
        usual = self._standing(key, choice.filesystem, choice, choice)
        shingled = usual
        if choice.shingled is not None:
            shingled = self._standing(f"{key}.shingled", choice.filesystem, choice.shingled, choice)
        if choice.unfit and usual.place is not Rank.REJECTED:
            raise self.place.fault(f"{key}.unfit", t("only a rejected filesystem can be unfit."))
        return CandidateProfile(choice.filesystem, usual, shingled, moves_up=not choice.unfit)

    def _standing(
        self, key: str, filesystem: str, form: ChoiceForm | ShingledForm, usual: ChoiceForm
    ) -> RankedChoice:
        if not form.sentence.english.strip():
            raise self.place.fault(f"{key}.sentence", t("explain this ranking in a sentence."))
        mkfs = usual.mkfs if form.mkfs is None else form.mkfs
        mount = usual.mount if form.mount is None else form.mount
        schedulers = usual.schedulers if form.schedulers is None else form.schedulers
        return RankedChoice(
            form.place,
            form.sentence,
            self._evidence(f"{key}.evidence", usual.evidence if form.evidence is None else form.evidence),
            self._options(f"{key}.mkfs", OptionKind.MKFS, filesystem, mkfs),
            self._options(f"{key}.mount", OptionKind.MOUNT, filesystem, mount),
            self._options(f"{key}.schedulers", OptionKind.SCHEDULER, filesystem, schedulers),
        )

    def _evidence(self, key: str, names: tuple[str, ...]) -> tuple[Evidence, ...]:
        for name in names:
            if name not in self.evidence:
                raise self.place.fault(
                    key,
                    t("unknown evidence {name} in profiles/evidence.", name=repr(printable(name, 50))),
                )
        return tuple(self.evidence[name] for name in names)

    def _options(
        self, key: str, kind: OptionKind, filesystem: str, names: tuple[str, ...]
    ) -> tuple[CatalogueOption, ...]:
        taken: list[CatalogueOption] = []
        for name in names:
            option = self.options.get(name)
            if option is None:
                raise self.place.fault(
                    key, t("unknown option {name} in profiles/options.", name=repr(printable(name, 50)))
                )
            self._check_option(key, kind, filesystem, option)
            for other in taken if kind is not OptionKind.SCHEDULER else ():
                stands_against = option.id in other.conflicts or other.id in option.conflicts
                if (stands_against or flag_of(option) == flag_of(other)) and meet(option, other):
                    raise self.place.fault(key, TOGETHER(one=other.id, other=option.id))
            taken.append(option)
        return tuple(taken)

    def _check_option(self, key: str, kind: OptionKind, filesystem: str, option: CatalogueOption) -> None:
        if option.kind is not kind:
            said = t(
                "{option} is a {kind} option, not a {wanted} option.",
                option=option.id,
                kind=option.kind,
                wanted=kind,
            )
            raise self.place.fault(key, said)
        if option.filesystems and filesystem not in option.filesystems:
            said = OTHER_FILESYSTEM(option=option.id, filesystems=option.filesystems, filesystem=filesystem)
            raise self.place.fault(key, said)
        if option.never:
            raise self.place.fault(
                key, t("{option} is never offered: {why}", option=option.id, why=option.never)
            )
