"""Published benchmark figures and the glossary.

Each study is one file. Each measurement carries the study's date, kernel and hardware.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from statistics import fmean

from wizard.advice import catalogue
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Evidence
from wizard.model.errors import BadInput, FrozenStruct
from wizard.model.said import NO_TEXT, Message, ProfileText, join, t, tn

TOPICS = {"alignment": "alignment-", "recording-shingled": "shingled-"}
"""Prefixes of finding codes, and of measurement ids on the same subject."""


class Study(FrozenStruct):
    """Common data of all measurements in a file. `rotational`: True for hard disks, None if unknown. `note`:
    a peculiarity of the whole study.

    `repeats`: number of runs per mean, if individual runs were not published. `like_for_like`: False if
    filesystems were not measured under the same conditions.
    """

    title: ProfileText
    source: ProfileText
    era: ProfileText
    kernel: ProfileText
    hardware: ProfileText
    rotational: bool | None = None
    note: ProfileText = NO_TEXT
    repeats: int = 1
    like_for_like: bool = True


class Measurement(FrozenStruct):
    """One row of a study's table. `figures`: filesystem or configuration and value, as far as published.
    `runs`: individual runs, instead of `figures`.

    `kernel` and `hardware` override those of a study with several machines.
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


class TableTest(FrozenStruct):
    """A test of a table: its `values`, one for each filesystem, or `rates` by record size, such as `4 KB`."""

    id: str
    title: ProfileText
    values: tuple[float, ...] = ()
    rates: tuple[tuple[str, tuple[float, ...]], ...] = ()
    note: ProfileText = NO_TEXT


class StudyTable(FrozenStruct):
    """A study's table. All tests have these filesystems or configurations, and a `note` if they have none of
    their own."""

    unit: ProfileText
    lower_is_better: bool
    filesystems: tuple[str, ...]
    tests: tuple[TableTest, ...]
    note: ProfileText = NO_TEXT


class EvidenceFile(FrozenStruct):
    """A file in profiles/evidence."""

    study: Study
    measurements: tuple[Measurement, ...] = ()
    tables: tuple[StudyTable, ...] = ()


def load_evidence() -> dict[str, Evidence]:
    """Return all measurements by id. Raises BadInput with file, line and key."""
    places = catalogue.gather("evidence", EvidenceFile, _measured, "measurements")
    for place in places.values():
        card = place.entry
        is_complete = card.figures and all(values for _, values in card.runs)
        if not is_complete or (card.runs and card.figures != _means(card.runs)):
            faulty = "runs" if card.runs else "figures"
            raise place.fault(
                faulty,
                t(
                    "{id}: write figures or runs, at least one each, or one value for each table column.",
                    id=card.id,
                ),
            )
    return {name: place.entry for name, place in places.items()}


def _measured(form: EvidenceFile) -> Iterator[Evidence]:
    for row in form.measurements:
        yield _evidence(form.study, row)
    for table, test in ((one, test) for one in form.tables for test in one.tests):
        for size, values in test.rates or (("", test.values),):
            # Without figures, a row with too few or too many values is reported.
            fits = len(values) == len(table.filesystems) and not (test.rates and test.values)
            row = Measurement(
                f"{test.id}-{size.replace(' KB', 'k')}" if size else test.id,
                test.title,
                table.unit,
                table.lower_is_better,
                tuple(zip(table.filesystems, values, strict=True)) if fits else (),
                note=test.note or table.note,
            )
            yield _evidence(form.study, row, size)


def _means(runs: Sequence[tuple[str, Sequence[float]]]) -> tuple[tuple[str, float], ...]:
    return tuple((name, round(fmean(values), 3)) for name, values in runs if values)


def _evidence(study: Study, row: Measurement, size: str = "") -> Evidence:
    notes: list[Message] = [note for note in (row.note, _runs_note(study, row), study.note) if note]
    return Evidence(
        id=row.id,
        title=t("{test}, {size} at a time", test=row.title, size=size) if size else row.title,
        source=t("{title}: {source}", title=study.title, source=study.source),
        era=row.era or study.era,
        kernel=row.kernel or study.kernel,
        hardware=row.hardware or study.hardware,
        unit=row.unit,
        lower_is_better=row.lower_is_better,
        figures=row.figures or _means(row.runs),
        note=join(*notes),
        runs=row.runs,
        like_for_like=study.like_for_like,
        rotational=study.rotational,
    )


def _runs_note(study: Study, row: Measurement) -> Message:
    if row.runs:
        runs = tuple(
            tn(
                "{name} {low:g} in one run",
                "{name} {low:g} to {high:g} in {count} runs",
                name=KINDS[name].title if name in KINDS else ProfileText(name),
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


def evidence_for(code: str) -> tuple[Evidence, ...]:
    """Return the measurements about a finding `code`, in file order. Empty if no study covers it."""
    beginning = next((ids for topic, ids in TOPICS.items() if code.startswith(topic)), None)
    if beginning is None:
        return ()
    return tuple(card for name, card in load_evidence().items() if name.startswith(beginning))


class Term(FrozenStruct):
    """A term with a short explanation. `also`: alternative spellings and related terms that the text
    explains."""

    id: str
    term: ProfileText
    text: ProfileText
    source: ProfileText
    also: tuple[ProfileText, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """All spellings, first in the user's language, then in English."""
        every = (self.term, *self.also)
        return tuple(dict.fromkeys((*map(str, every), *(one.english for one in every))))


class GlossaryFile(FrozenStruct):
    """A file in profiles/glossary."""

    terms: tuple[Term, ...]


def load_glossary() -> tuple[Term, ...]:
    """Return all terms in alphabetical order. Raises BadInput with file, line and key."""
    places = catalogue.gather("glossary", GlossaryFile, lambda form: form.terms, "terms")
    owners: dict[str, Term] = {}
    for place in places.values():
        term = place.entry
        texts = (("term", term.term), ("text", term.text), ("source", term.source))
        for key, text in (*texts, *(("also", spelling) for spelling in term.also)):
            place.check_text(key, text)
        for spelling in term.spellings:
            other = owners.setdefault(spelling.casefold(), term)
            if other is not term:
                message = t(
                    "{spelling} is already defined by the term with the id {id}.",
                    spelling=repr(spelling),
                    id=repr(other.id),
                )
                raise place.fault("term", message)
    return tuple(
        sorted((place.entry for place in places.values()), key=lambda term: str(term.term).casefold())
    )


def find_term(text: str) -> Term:
    """Find a term by spelling, ignoring case. Raises BadInput with similar terms."""
    known = load_glossary()
    by_spelling = {spelling.casefold(): term for term in known for spelling in term.spellings}
    wanted = " ".join(text.split()).casefold()
    if wanted in by_spelling:
        return by_spelling[wanted]
    near = search_terms(wanted, known) or [
        by_spelling[name] for name in get_close_matches(wanted, by_spelling, 3)
    ]
    names, shown = tuple(dict.fromkeys(term.term for term in near[:5])), repr(text)
    raise BadInput(
        t("{text} is not in the glossary. Did you mean {near:list}?", text=shown, near=names)
        if near
        else t("{text} is not in the glossary.", text=shown)
    )


def search_terms(text: str, terms: Iterable[Term]) -> list[Term]:
    """Return the terms with `text` in a spelling, prefix matches first. An empty text matches all."""
    wanted = text.strip().casefold()
    found = [term for term in terms if any(wanted in spelling.casefold() for spelling in term.spellings)]
    return sorted(found, key=lambda term: not str(term.term).casefold().startswith(wanted))


def terms_in(text: str, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms that occur in a text as whole words, in order of first occurrence."""
    plain = " ".join(text.split()).casefold()
    found: list[tuple[int, Term]] = []
    for term in terms:
        # Not part of a path or hyphenated option.
        words = (rf"(?<![\w/-]){re.escape(spelling.casefold())}(?![\w/-])" for spelling in term.spellings)
        matches = [match.start() for word in words if (match := re.search(word, plain))]
        if matches:
            found.append((min(matches), term))
    return tuple(term for _, term in sorted(found, key=lambda pair: pair[0]))
