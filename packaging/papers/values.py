"""What an option or an operand takes, as far as a shell can complete it."""

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
    """Where the words to complete come from."""

    NONE = "none"
    """Nothing can be offered, or nothing should: a token shows that a person read which drive is meant."""

    DEVICES = "devices"
    FILES = "files"
    FOLDERS = "folders"
    RUNS = "runs"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Value:
    """A kind, with the words that are one."""

    kind: Kind
    words: tuple[str, ...] = ()


NO_VALUE = Value(Kind.NONE)
DEVICES, FILES, FOLDERS = Value(Kind.DEVICES), Value(Kind.FILES), Value(Kind.FOLDERS)


def _words(*words: str) -> Value:
    """Those that a shell takes as one word each."""
    return Value(Kind.WORDS, tuple(word for word in words if not set(word) & set(" \t\"'$`\\")))


def _filesystems() -> Value:
    return _words(*MADE)


BY_OPTION: dict[str, Callable[[], Value]] = {
    "--workload": lambda: _words(*(profile.workload.id for profile in load_workloads())),
    "--option": lambda: _words(*load_catalogue()),
}
"""Before what its metavar says."""

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
"""Each is decided here; a metavar that is not is a mistake."""


def value_of(one: Action) -> Value:
    """What it takes; raises KeyError for a metavar that nobody has decided on."""
    if one.choices is not None:
        return _words(*one.choices)
    for name in one.option_strings:
        if name in BY_OPTION:
            return BY_OPTION[name]()
    return BY_METAVAR[str(one.metavar)]()
