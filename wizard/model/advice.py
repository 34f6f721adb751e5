"""Recommended filesystems and options for a workload, with reasons."""

from enum import StrEnum
from typing import Annotated

from wizard.model.errors import IN_ENGLISH, FrozenStruct
from wizard.model.said import Message, Sentence


class Rank(StrEnum):
    """Rating of a filesystem: recommended, good alternative, or not recommended."""

    RECOMMENDED = "chosen"
    ALTERNATIVE = "second"
    NOT_RECOMMENDED = "rejected"


ProfileWords = Annotated[Message | str, IN_ENGLISH]

FEWEST_RUNS = 3
"""Minimum runs per filesystem. With fewer, chance alone often separates two filesystems."""


class Evidence(FrozenStruct):
    """A published measurement or statement, dated by `era`, `kernel` and `hardware`. `figures`: filesystem
    (or configuration) and value in `unit`. `runs`: individual runs, if published; their figure is the mean.
    `like_for_like`: False if conditions differed. `rotational`: None if unknown."""

    id: str
    title: ProfileWords
    source: ProfileWords
    era: ProfileWords
    kernel: ProfileWords
    hardware: ProfileWords
    unit: ProfileWords
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...]
    note: ProfileWords = ""
    runs: tuple[tuple[str, tuple[float, ...]], ...] = ()
    like_for_like: bool = True
    rotational: bool | None = None

    def applies(self, rotational: bool | None) -> bool:
        """Return True if the figures may hold for a drive that rotates or not. Unknown values match both."""
        return rotational is None or self.rotational in (None, rotational)

    def shows(self, better: str, worse: str) -> bool:
        """Return True if this is evidence that `better` beats `worse`: same conditions, enough runs, and
        every run of the first ahead of every run of the second."""
        runs = dict(self.runs)
        first, then = runs.get(better, ()), runs.get(worse, ())
        if not self.like_for_like or min(len(first), len(then)) < FEWEST_RUNS:
            return False
        return max(first) < min(then) if self.lower_is_better else min(first) > max(then)


class Option(FrozenStruct):
    """An option of mkfs or mount, or a scheduler, as on a command line. `risk`: the drawback, may be
    empty."""

    text: str
    why: ProfileWords
    risk: ProfileWords = ""


class Withheld(FrozenStruct):
    """An option that is not offered, with the reason. `kind` is mkfs, mount or scheduler."""

    text: str
    kind: str
    reason: ProfileWords


class Workload(FrozenStruct):
    """A workload of a volume. `origin`: file of its profile. `label`: default label, ASCII, at most 12
    characters."""

    id: str
    title: ProfileWords
    summary: ProfileWords
    origin: str
    label: str


class Ability(StrEnum):
    """Feasibility. DOUBT: a fact is unknown."""

    CAN = "can"
    CANNOT = "cannot"
    DOUBT = "doubt"


class ZonedUse(FrozenStruct):
    """A way to use a host-managed zoned drive. `commands`: what a user could run, in order."""

    title: str
    ability: Ability
    sentence: str
    commands: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """One-line verdict: `F2FS: possible`."""
        verdicts = {
            Ability.CAN: Sentence("{title}: possible"),
            Ability.CANNOT: Sentence("{title}: not possible"),
            Ability.DOUBT: Sentence("{title}: unknown"),
        }
        return str(verdicts[self.ability](title=self.title))


class Unmade(FrozenStruct):
    """A filesystem that is recognised but never created: why, how to replace it, and evidence."""

    filesystem: str
    title: str
    why_not: str
    way_off: str
    evidence: tuple[Evidence, ...] = ()


class Choice(FrozenStruct):
    """Rating of a filesystem for one workload on one drive. `obstacles`: sentences on hard limits; with any,
    the filesystem cannot be chosen. `mkfs`: arguments in order (`-m 0` is one Option). `withheld`: options
    considered but not offered. `ranked`: False if the workload does not mention the filesystem; `sentence` is
    then general."""

    filesystem: str
    place: Rank
    sentence: ProfileWords
    evidence: tuple[Evidence, ...]
    mkfs: tuple[Option, ...]
    mount: tuple[Option, ...]
    scheduler: Option | None
    obstacles: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    ranked: bool = True


class Advice(FrozenStruct):
    """Ranking for one drive and workload. `choices` starts with the recommended one, unless none is possible.
    `doubts`: unknown facts. `notes`: further remarks. `zoned`: all uses of a host-managed drive. `unmade`:
    filesystems that are only recognised."""

    drive: str
    workload: Workload
    choices: tuple[Choice, ...]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    zoned: tuple[ZonedUse, ...] = ()
    unmade: tuple[Unmade, ...] = ()

    @property
    def chosen(self) -> Choice | None:
        """Recommended filesystem, or None if no suitable one is possible."""
        return next((choice for choice in self.choices if choice.place is Rank.RECOMMENDED), None)

    @property
    def usable(self) -> tuple[Choice, ...]:
        """All filesystems that can be created, suitable or not."""
        return tuple(choice for choice in self.choices if not choice.obstacles)

    def choice(self, filesystem: str) -> Choice | None:
        """Return the rating of a filesystem by name."""
        return next((choice for choice in self.choices if choice.filesystem == filesystem), None)
