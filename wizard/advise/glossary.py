"""What the words mean: files in profiles/glossary, found by term or spelling, or by where they stand in a
text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from wizard.advise.reading import Place, gather
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import ProfileText, t

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
    places = gather("glossary", GlossaryFile, _entries, lambda term: term.id)
    owners: dict[str, Term] = {}
    for place in places.values():
        _check(place)
        for spelling in place.entry.spellings:
            other = owners.setdefault(spelling.casefold(), place.entry)
            if other is not place.entry:
                said = t(
                    "{spelling} is explained already by the term with the id {id}.",
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
            t("The glossary does not have {text}. Did you mean {near:list}?", text=shown, near=names)
            if near
            else t("The glossary does not have {text}.", text=shown)
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


def _entries(path: Path, form: GlossaryFile) -> list[Place[Term]]:
    return [Place(path, f"terms[{index}]", term) for index, term in enumerate(form.terms)]


def _check(place: Place[Term]) -> None:
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
