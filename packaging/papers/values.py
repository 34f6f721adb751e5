"""Values of options and operands, as far as a shell can complete them."""

from argparse import Action
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from wizard.advice.catalogue import load_catalogue
from wizard.advice.evidence import load_glossary
from wizard.advice.missing import known_programs
from wizard.advice.workloads import load_workloads
from wizard.filesystems.registry import MADE


class Kind(Enum):
    """Source of the words to complete."""

    NONE = "none"
    """No completion possible or wanted: typing a token proves that the user has identified the drive."""

    DEVICES = "devices"
    FILES = "files"
    FOLDERS = "folders"
    RUNS = "runs"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Value:
    """A kind, and the words of Kind.WORDS."""

    kind: Kind
    words: tuple[str, ...] = ()


NO_VALUE = Value(Kind.NONE)
DEVICES, FILES, FOLDERS = Value(Kind.DEVICES), Value(Kind.FILES), Value(Kind.FOLDERS)


def _words(*words: str) -> Value:
    """Return a value of all words that need no shell quoting."""
    return Value(Kind.WORDS, tuple(word for word in words if not set(word) & set(" \t\"'$`\\")))


def _filesystems() -> Value:
    return _words(*MADE)


BY_OPTION: dict[str, Callable[[], Value]] = {
    "--workload": lambda: _words(*(profile.workload.id for profile in load_workloads())),
    "--option": lambda: _words(*load_catalogue()),
}
"""Values by option, which take precedence over the metavar."""

BY_METAVAR: dict[str, Callable[[], Value]] = {
    "DEVICE": lambda: DEVICES,
    "SOURCE": lambda: FOLDERS,
    "TARGET": lambda: FOLDERS,
    "FOLDER": lambda: FOLDERS,
    "DIR": lambda: FOLDERS,
    **dict.fromkeys(
        ("FILE", "PATH", "PLAN.json", "CHANGES.json", "VERDICT.json", "WANTED.toml", "SOURCE"), lambda: FILES
    ),
    "RUN": lambda: Value(Kind.RUNS),
    "FS": _filesystems,
    "FILESYSTEM": _filesystems,
    "NAME": lambda: _words(*known_programs()),
    "TERM": lambda: _words(*(str(term.term) for term in load_glossary())),
    **dict.fromkeys(
        ("TOKEN", "LABEL", "SIZE", "N", "BYTES", "START", "A,B", "FS,...", "KEY=VALUE,...", "WHO", "PHRASE"),
        lambda: NO_VALUE,
    ),
}
"""Values by metavar. Every metavar must be listed."""


def value_of(one: Action) -> Value:
    """Return the value of an argument. Raises KeyError if the metavar is not listed."""
    if one.choices is not None:
        return _words(*one.choices)
    for name in one.option_strings:
        if name in BY_OPTION:
            return BY_OPTION[name]()
    return BY_METAVAR[str(one.metavar)]()
