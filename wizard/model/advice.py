"""Recommended filesystems and options for a workload, with reasons."""

from dataclasses import dataclass, field
from enum import StrEnum

from wizard.model.errors import IN_ENGLISH
from wizard.model.said import Message, Sentence


class Rank(StrEnum):
    """Where a filesystem came in the ranking."""

    CHOSEN = "chosen"
    SECOND = "second"
    REJECTED = "rejected"


FEWEST_RUNS = 3
"""With fewer runs of each, chance alone often keeps the runs of two filesystems apart."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A published figure or statement. `era`, `kernel`, `hardware` date it; `lower_is_better` gives the
    direction of `figures`.

    `figures` pairs a filesystem (or a configuration) with its number in `unit`. `runs` has each run of those
    whose runs are known; their figure is the mean. `like_for_like` is false where the filesystems were not
    measured under the same conditions.
    """

    id: str
    title: Message | str = field(metadata=IN_ENGLISH)
    source: Message | str = field(metadata=IN_ENGLISH)
    era: Message | str = field(metadata=IN_ENGLISH)
    kernel: Message | str = field(metadata=IN_ENGLISH)
    hardware: Message | str = field(metadata=IN_ENGLISH)
    unit: Message | str = field(metadata=IN_ENGLISH)
    lower_is_better: bool
    figures: tuple[tuple[str, float], ...]
    note: Message | str = field(default="", metadata=IN_ENGLISH)
    runs: tuple[tuple[str, tuple[float, ...]], ...] = ()
    like_for_like: bool = True

    def shows(self, better: str, worse: str) -> bool:
        """Whether it carries that `better` did better than `worse`: like for like, run often enough, and
        every run of the one before every run of the other."""
        runs = dict(self.runs)
        first, then = runs.get(better, ()), runs.get(worse, ())
        if not self.like_for_like or min(len(first), len(then)) < FEWEST_RUNS:
            return False
        return max(first) < min(then) if self.lower_is_better else min(first) > max(then)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of mkfs, of mount, or a scheduler, as it is written; why it is advised, and what it costs
    (may be empty)."""

    text: str
    why: Message | str = field(metadata=IN_ENGLISH)
    risk: Message | str = field(default="", metadata=IN_ENGLISH)


@dataclass(frozen=True, slots=True)
class Withheld:
    """An option that is not offered, and why not. `kind` is mkfs, mount or scheduler."""

    text: str
    kind: str
    reason: Message | str = field(metadata=IN_ENGLISH)


@dataclass(frozen=True, slots=True)
class Workload:
    """A purpose a volume can have. `origin` is the file it was read from. `label` is the default label,
    ASCII, at most 12 characters."""

    id: str
    title: Message | str = field(metadata=IN_ENGLISH)
    summary: Message | str = field(metadata=IN_ENGLISH)
    origin: str
    label: str


class Ability(StrEnum):
    """Whether something can be done here. A doubt is what could not be known."""

    CAN = "can"
    CANNOT = "cannot"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class ZonedUse:
    """A way to use a drive whose zones the host must manage. `commands` are what a person could type to have
    it, in order."""

    title: str
    ability: Ability
    sentence: str
    commands: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """`F2FS can live there`, for a line of its own."""
        verdicts = {
            Ability.CAN: Sentence("{title}: possible"),
            Ability.CANNOT: Sentence("{title}: not possible"),
            Ability.DOUBT: Sentence("{title}: unknown"),
        }
        return str(verdicts[self.ability](title=self.title))


@dataclass(frozen=True, slots=True)
class Unmade:
    """A filesystem that is recognised and never made: why not, how to get off it, and what the studies
    measured of it for the work."""

    filesystem: str
    title: str
    why_not: str
    way_off: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A filesystem's place in the ranking for one workload on one drive.

    `obstacles` are hard limits, in sentences (kernel lacks it, tool missing with its package, drive cannot
    hold it): a choice with one is rejected and cannot be taken. `mkfs` are argument words in order (`-m`, `0`
    are two texts of one Option: `-m 0`). `withheld` are options that were thought of, among them old advice,
    and are not offered. `ranked` is false where the workload says nothing of the filesystem and `sentence` is
    what holds of it in general.
    """

    filesystem: str
    place: Rank
    sentence: Message | str = field(metadata=IN_ENGLISH)
    evidence: tuple[Evidence, ...]
    mkfs: tuple[Option, ...]
    mount: tuple[Option, ...]
    scheduler: Option | None
    obstacles: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class Advice:
    """A ranking for one drive and one workload; `choices` begins with the chosen one, unless none that suits
    the work can be made.

    `doubts` say what could not be known, `notes` what else is good to know about such a drive. `zoned`, on a
    drive whose zones the host must manage, is everything that could live there, also what diskwright does not
    make. `unmade` are those that are only recognised.
    """

    drive: str
    workload: Workload
    choices: tuple[Choice, ...]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    zoned: tuple[ZonedUse, ...] = ()
    unmade: tuple[Unmade, ...] = ()

    @property
    def chosen(self) -> Choice | None:
        """The filesystem advised; None where nothing that suits the work can live there."""
        return next((choice for choice in self.choices if choice.place is Rank.CHOSEN), None)

    @property
    def usable(self) -> tuple[Choice, ...]:
        """All that can be made there, whether they suit the work or not."""
        return tuple(choice for choice in self.choices if not choice.obstacles)

    def choice(self, filesystem: str) -> Choice | None:
        """The choice for a filesystem by name."""
        return next((choice for choice in self.choices if choice.filesystem == filesystem), None)
