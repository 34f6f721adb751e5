"""The purposes that advice knows: files in profiles/workloads, checked and joined with the options and evidence they name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wizard.advise.catalogue import CatalogueOption, Kind, flag_of, load_catalogue
from wizard.advise.evidence import load_evidence
from wizard.advise.filesystems import FILESYSTEMS
from wizard.advise.reading import Place as Entry
from wizard.advise.reading import gather
from wizard.model.advice import Evidence, Place, Workload
from wizard.model.errors import BadInput
from wizard.model.names import printable

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,11}")


@dataclass(frozen=True, slots=True)
class ShingledForm:
    """What a file says differently for a shingled drive; a list that is left out stays as it is for other drives."""

    place: Place
    sentence: str
    evidence: tuple[str, ...] | None = None
    mkfs: tuple[str, ...] | None = None
    mount: tuple[str, ...] | None = None
    schedulers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChoiceForm:
    """A filesystem's place for a workload, as a file has it: everything by id."""

    filesystem: str
    place: Place
    sentence: str
    evidence: tuple[str, ...] = ()
    mkfs: tuple[str, ...] = ()
    mount: tuple[str, ...] = ()
    schedulers: tuple[str, ...] = ()
    shingled: ShingledForm | None = None


@dataclass(frozen=True, slots=True)
class WorkloadForm:
    """A file in profiles/workloads. `root` where the system itself lives on the volume."""

    id: str
    title: str
    summary: str
    label: str
    choices: tuple[ChoiceForm, ...]
    root: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A filesystem's place with its options and evidence. `schedulers` in order of preference."""

    place: Place
    sentence: str
    evidence: tuple[Evidence, ...]
    mkfs: tuple[CatalogueOption, ...]
    mount: tuple[CatalogueOption, ...]
    schedulers: tuple[CatalogueOption, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a workload says of one filesystem, on drives in general and on shingled ones."""

    filesystem: str
    usual: Standing
    shingled: Standing


@dataclass(frozen=True, slots=True)
class Profile:
    """A workload with all that advice needs. `never` are the options that the catalogue records as never offered, `always` those that
    need no workload to name them."""

    workload: Workload
    root: bool
    candidates: tuple[Candidate, ...]
    never: tuple[CatalogueOption, ...]
    always: tuple[CatalogueOption, ...] = ()


def load_workloads() -> tuple[Profile, ...]:
    """Every workload, the bundled ones first; raises BadInput naming file, line and key of what is wrong in any profile."""
    options, evidence = load_catalogue(), load_evidence()
    places = gather("workloads", WorkloadForm, lambda path, form: [Entry(path, "", form)], lambda form: form.id)
    return tuple(_Joined(place, options, evidence).profile() for place in places.values())


def find_workload(name: str) -> Profile:
    """The workload with this id; raises BadInput naming the known ids."""
    profiles = load_workloads()
    for profile in profiles:
        if profile.workload.id == name:
            return profile
    known = ", ".join(profile.workload.id for profile in profiles)
    raise BadInput(f"There is no workload {printable(name, 40)!r}; the known ones are {known}.")


class _Joined:
    """One file's checks and the look-up of what it names."""

    def __init__(self, place: Entry[WorkloadForm], options: dict[str, CatalogueOption], evidence: dict[str, Evidence]) -> None:
        self.place, self.form, self.options, self.evidence = place, place.entry, options, evidence

    def profile(self) -> Profile:
        self._check_form()
        workload = Workload(self.form.id, self.form.title, self.form.summary, str(self.place.path), self.form.label)
        candidates = tuple(self._candidate(f"choices[{index}]", choice) for index, choice in enumerate(self.form.choices))
        self._check_places([candidate.usual.place for candidate in candidates], "place")
        self._check_places([candidate.shingled.place for candidate in candidates], "shingled.place")
        never = tuple(option for option in self.options.values() if option.never)
        always = tuple(option for option in self.options.values() if option.always)
        return Profile(workload, self.form.root, candidates, never, always)

    def _check_form(self) -> None:
        for key, text in (("title", self.form.title), ("summary", self.form.summary)):
            if not text.strip() or printable(text, 400) != text:
                raise self.place.fault(key, "write one line of plain text.")
        if not LABEL.fullmatch(self.form.label):
            raise self.place.fault(
                "label", "a label has 1 to 12 letters, digits, hyphens or underscores and begins with a letter or digit."
            )
        names = [choice.filesystem for choice in self.form.choices]
        for index, name in enumerate(names):
            if name not in FILESYSTEMS:
                raise self.place.fault(f"choices[{index}].filesystem", f"{printable(name, 20)!r} is none of {', '.join(FILESYSTEMS)}.")
            if name in names[:index]:
                raise self.place.fault(f"choices[{index}].filesystem", f"{name} was ranked before.")
        for name in FILESYSTEMS:
            if name not in names:
                raise self.place.fault("choices", f"{name} is not ranked; a workload ranks {', '.join(FILESYSTEMS)}.")

    def _check_places(self, places: Sequence[Place], key: str) -> None:
        for place in (Place.CHOSEN, Place.SECOND):
            holders = [index for index, held in enumerate(places) if held is place]
            if not holders:
                raise self.place.fault(
                    "choices[0]", f"no filesystem is {place}{' on a shingled drive' if '.' in key else ''}; exactly one must be."
                )
            if len(holders) > 1:
                raise self.place.fault(f"choices[{holders[1]}].{key}", f"more than one filesystem is {place}; exactly one must be.")

    def _candidate(self, key: str, choice: ChoiceForm) -> Candidate:
        usual = self._standing(key, choice.filesystem, choice, choice)
        if choice.shingled is None:
            return Candidate(choice.filesystem, usual, usual)
        return Candidate(choice.filesystem, usual, self._standing(f"{key}.shingled", choice.filesystem, choice.shingled, choice))

    def _standing(self, key: str, filesystem: str, form: ChoiceForm | ShingledForm, usual: ChoiceForm) -> Standing:
        if not form.sentence.strip():
            raise self.place.fault(f"{key}.sentence", "say in a sentence why it has this place.")
        mkfs = usual.mkfs if form.mkfs is None else form.mkfs
        mount = usual.mount if form.mount is None else form.mount
        schedulers = usual.schedulers if form.schedulers is None else form.schedulers
        return Standing(
            form.place,
            form.sentence,
            self._evidence(f"{key}.evidence", usual.evidence if form.evidence is None else form.evidence),
            self._options(f"{key}.mkfs", Kind.MKFS, filesystem, mkfs),
            self._options(f"{key}.mount", Kind.MOUNT, filesystem, mount),
            self._options(f"{key}.schedulers", Kind.SCHEDULER, filesystem, schedulers),
        )

    def _evidence(self, key: str, names: tuple[str, ...]) -> tuple[Evidence, ...]:
        for name in names:
            if name not in self.evidence:
                raise self.place.fault(key, f"there is no evidence {printable(name, 50)!r} in profiles/evidence.")
        return tuple(self.evidence[name] for name in names)

    def _options(self, key: str, kind: Kind, filesystem: str, names: tuple[str, ...]) -> tuple[CatalogueOption, ...]:
        taken: list[CatalogueOption] = []
        for name in names:
            option = self.options.get(name)
            if option is None:
                raise self.place.fault(key, f"there is no option {printable(name, 50)!r} in profiles/options.")
            self._check_option(key, kind, filesystem, option)
            for other in taken if kind is not Kind.SCHEDULER else ():
                if option.id in other.conflicts or other.id in option.conflicts or flag_of(option) == flag_of(other):
                    raise self.place.fault(key, f"{other.id} and {option.id} cannot be used together.")
            taken.append(option)
        return tuple(taken)

    def _check_option(self, key: str, kind: Kind, filesystem: str, option: CatalogueOption) -> None:
        if option.kind is not kind:
            raise self.place.fault(key, f"{option.id} is an option for {option.kind}, not for {kind}.")
        if option.filesystems and filesystem not in option.filesystems:
            raise self.place.fault(key, f"{option.id} is for {', '.join(option.filesystems)}, not for {filesystem}.")
        if option.never:
            raise self.place.fault(key, f"{option.id} is never offered: {option.never}")
