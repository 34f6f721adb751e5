"""Published benchmark figures and the glossary.

Each study is one file. Each measurement carries the study's date, kernel and hardware.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from statistics import fmean

from wizard.advice.catalogue import ProfilePlace, gather
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Evidence
from wizard.model.errors import BadInput, printable
from wizard.model.said import NO_TEXT, Message, ProfileText, join, t, tn

NO_FIGURE = t("figure missing: a measurement without a figure proves nothing.")

TOPICS = {"alignment": "alignment-", "recording-shingled": "shingled-"}
"""How a finding's code begins, and how the ids of the measurements on the same matter do."""


@dataclass(frozen=True, slots=True)
class Study:
    """What holds for all measurements of a file. `note` says what is odd about the whole study.

    `repeats` is how many runs each figure is the mean of, where the study tells that and not each run.
    `like_for_like` is false where the filesystems were not measured under the same conditions.
    """

    title: ProfileText
    source: ProfileText
    era: ProfileText
    kernel: ProfileText
    hardware: ProfileText
    note: ProfileText = NO_TEXT
    repeats: int = 1
    like_for_like: bool = True


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row of a study's table. `figures` pairs a filesystem or configuration with its number; what a study
    left out stays out. `runs` stands in its place where each run is known.

    `kernel` and `hardware` replace the study's where it measured on several machines.
    """

    id: str
    title: ProfileText
    unit: ProfileText
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...] = ()
    runs: tuple[tuple[str, tuple[float, ...]], ...] = ()
    note: ProfileText = NO_TEXT
    era: ProfileText = NO_TEXT
    kernel: ProfileText = NO_TEXT
    hardware: ProfileText = NO_TEXT


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file in profiles/evidence."""

    study: Study
    measurements: tuple[Measurement, ...]


def load_evidence() -> dict[str, Evidence]:
    """Every measurement by id; raises BadInput naming file, line and key."""
    places = gather("evidence", EvidenceFile, _entries, lambda evidence: evidence.id)
    for place in places.values():
        if not place.entry.figures:
            raise place.fault("figures", NO_FIGURE)
    return {name: place.entry for name, place in places.items()}


def _entries(path: Path, form: EvidenceFile) -> list[ProfilePlace[Evidence]]:
    found: list[ProfilePlace[Evidence]] = []
    for index, row in enumerate(form.measurements):
        place = ProfilePlace(path, f"measurements[{index}]", _card(form.study, row))
        if row.figures and row.runs:
            raise place.fault(
                "runs",
                t("use either figures or runs, not both."),
            )
        if not all(values for _, values in row.runs):
            raise place.fault("runs", NO_FIGURE)
        found.append(place)
    return found


def _card(study: Study, row: Measurement) -> Evidence:
    notes: list[Message] = [note for note in (row.note, _repeated(study, row), study.note) if note]
    return Evidence(
        id=row.id,
        title=row.title,
        source=t("{title}: {source}", title=study.title, source=study.source),
        era=row.era or study.era,
        kernel=row.kernel or study.kernel,
        hardware=row.hardware or study.hardware,
        unit=row.unit,
        lower_is_better=row.lower_is_better,
        figures=row.figures or tuple((name, round(fmean(values), 3)) for name, values in row.runs if values),
        note=join(*notes),
        runs=row.runs,
        like_for_like=study.like_for_like,
    )


def _repeated(study: Study, row: Measurement) -> Message:
    """How often each was measured, and how far the runs lay apart."""
    if row.runs:
        runs = tuple(
            tn(
                "{name} {low:g} in one run",
                "{name} {low:g} to {high:g} in {count} runs",
                name=_titled(name),
                count=len(values),
                low=min(values),
                high=max(values),
            )
            for name, values in row.runs
            if values
        )
        return t("Lowest and highest run: {runs:semicolons}.", runs=runs)
    return (
        t("Each figure is the mean of {count} runs; their spread was not published.", count=study.repeats)
        if study.repeats > 1
        else t("One run each, as far as published. Another run could differ.")
    )


def _titled(name: str) -> Message | str:
    """A filesystem's name as people write it; a configuration is called as in the study."""
    return KINDS[name].title if name in KINDS else ProfileText(name)


def evidence_for(code: str) -> tuple[Evidence, ...]:
    """The measurements on the matter that `code` is about, in the order of the files; none where no study
    here is about it."""
    beginning = next((ids for topic, ids in TOPICS.items() if code.startswith(topic)), None)
    if beginning is None:
        return ()
    return tuple(card for name, card in load_evidence().items() if name.startswith(beginning))


LONGEST = 400
"""Characters of a term's text: a few sentences, not an article."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word with what it means in a few sentences. `also` are its other spellings and what is explained
    along with it."""

    id: str
    term: ProfileText
    text: ProfileText
    source: ProfileText
    also: tuple[ProfileText, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """The term, then the others, in the person's language and then in English."""
        every = (self.term, *self.also)
        return tuple(dict.fromkeys((*map(str, every), *(one.english for one in every))))


@dataclass(frozen=True, slots=True)
class GlossaryFile:
    """A file in profiles/glossary."""

    terms: tuple[Term, ...]


def load_glossary() -> tuple[Term, ...]:
    """Every term in alphabetical order; raises BadInput naming file, line and key of what is wrong."""
    places = gather("glossary", GlossaryFile, _glossary_entries, lambda term: term.id)
    owners: dict[str, Term] = {}
    for place in places.values():
        _check(place)
        for spelling in place.entry.spellings:
            other = owners.setdefault(spelling.casefold(), place.entry)
            if other is not place.entry:
                said = t(
                    "{spelling} is already defined by the term with the id {id}.",
                    spelling=repr(printable(spelling, 40)),
                    id=repr(other.id),
                )
                raise place.fault("term", said)
    return tuple(
        sorted((place.entry for place in places.values()), key=lambda term: str(term.term).casefold())
    )


def find_term(text: str, terms: Sequence[Term] | None = None) -> Term:
    """The term with this spelling, in large or small letters; raises BadInput naming the nearest ones."""
    known = load_glossary() if terms is None else terms
    by_spelling = {spelling.casefold(): term for term in known for spelling in term.spellings}
    wanted = " ".join(text.split()).casefold()
    if wanted in by_spelling:
        return by_spelling[wanted]
    near = search_terms(wanted, known) or [
        by_spelling[name] for name in get_close_matches(wanted, by_spelling, 3)
    ]
    names, shown = tuple(dict.fromkeys(term.term for term in near[:5])), repr(printable(text, 40))
    raise BadInput(
        str(
            t("{text} is not in the glossary. Did you mean {near:list}?", text=shown, near=names)
            if near
            else t("{text} is not in the glossary.", text=shown)
        )
    )


def search_terms(text: str, terms: Iterable[Term]) -> list[Term]:
    """The terms of which a spelling has `text` in it, those that begin with it first; all of them for an
    empty text."""
    wanted = text.strip().casefold()
    found = [term for term in terms if any(wanted in spelling.casefold() for spelling in term.spellings)]
    return sorted(found, key=lambda term: not str(term.term).casefold().startswith(wanted))


def terms_in(text: str, terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms that stand in a text as whole words, in the order of their first place there."""
    plain = " ".join(text.split()).casefold()
    found: list[tuple[int, Term]] = []
    for term in terms:
        matches = [
            match.start() for spelling in term.spellings if (match := re.search(_as_word(spelling), plain))
        ]
        if matches:
            found.append((min(matches), term))
    return tuple(term for _, term in sorted(found, key=lambda pair: pair[0]))


def _as_word(spelling: str) -> str:
    """Not within another word, nor as a part of a path or of an option that is written with a hyphen."""
    return rf"(?<![\w/-]){re.escape(spelling.casefold())}(?![\w/-])"


def _glossary_entries(path: Path, form: GlossaryFile) -> list[ProfilePlace[Term]]:
    return [ProfilePlace(path, f"terms[{index}]", term) for index, term in enumerate(form.terms)]


def _check(place: ProfilePlace[Term]) -> None:
    term = place.entry
    for key, said in (
        ("term", term.term),
        ("text", term.text),
        ("source", term.source),
        *(("also", spelling) for spelling in term.also),
    ):
        if not said.english.strip() or printable(said.english, LONGEST) != said.english:
            raise place.fault(
                key, t("write one line of plain text, at most {longest} characters.", longest=LONGEST)
            )
