"""Something that can be begun, as Review and Work see it. Neither knows which kind it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.jobs import words
from wizard.desk.view import Banner, Bar, Block, Text
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.apply.run.decision import Decision
    from wizard.apply.run.journal import RunState
    from wizard.layout.told.promise import WayBackRoom
    from wizard.model.identity import Identity
    from wizard.model.journal import Entry
    from wizard.services.contract import Services


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run stands that is not at work: what matters most, more of it, and what can be decided."""

    banner: Banner
    more: tuple[Text, ...]
    decision: Decision


class Job:
    """A plan, changes or a migration. Nothing here writes but `start`, which begins a process of its own."""

    title: Text
    """What it does, in a few words: the banner's and the head's."""

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives that are confirmed by their tokens, in this order."""
        raise NotImplementedError

    def lost(self) -> tuple[Text, ...]:
        """Everything that is destroyed, a sentence each; none where nothing is."""
        return ()

    @property
    def keeps_all(self) -> bool:
        """Whether what it writes to is known to lose nothing, as where one partition grows."""
        return False

    def risk(self, services: Services) -> Text:
        """What can still go wrong where nothing is lost by the work itself: no protection against a power
        cut, or no way back; empty where there is both."""
        return ""

    def lost_when(self, services: Services) -> Text:
        """When that is: a heading."""
        return words.LOST_NOW

    def ways_back(self, services: Services) -> tuple[Text, ...]:
        """Until when it can be undone, and what a power cut would leave."""
        raise NotImplementedError

    def puts_nothing_back(self, services: Services) -> bool:
        """Whether a way back has nothing to bring back, so that its room is of no interest."""
        return False

    @property
    def doubts(self) -> tuple[Text, ...]:
        """What could not be known."""
        return ()

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Now and then, where it changes a layout."""
        return ()

    @property
    def sentences(self) -> tuple[Text, ...]:
        """What each step does."""
        raise NotImplementedError

    @property
    def brief(self) -> tuple[Text, ...]:
        """What is told of the steps before the last question: all that matters, in few lines."""
        return self.sentences

    @property
    def seconds(self) -> tuple[float, ...]:
        """How long each step takes, roughly."""
        return tuple(1.0 for _ in self.sentences)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Every step with its commands, how it is undone and what is checked."""
        raise NotImplementedError

    def word(self, services: Services) -> str:
        """What is typed beside the tokens where there is no way back; else empty."""
        return ""

    @property
    def takes_passphrase(self) -> bool:
        """Whether it takes a new passphrase."""
        return False

    @property
    def unread(self) -> bool:
        """Whether a drive of it was not read, so that it is never begun."""
        return False

    def tries_out(self, services: Services) -> bool:
        """Whether finding out how much room the way back takes tries the job out."""
        return False

    def room(self, services: Services) -> WayBackRoom:
        """How much room the way back takes. May take long."""
        raise NotImplementedError

    def document(self) -> tuple[str, str]:
        """It as a file, and how that could be called."""
        raise NotImplementedError

    def command(self, services: Services, file: str) -> str:
        """The command by which root begins what was saved in a file."""
        raise NotImplementedError

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Begin it; the run's folder. Writes."""
        raise NotImplementedError

    @property
    def stop_means(self) -> Text:
        """What asking it to stop does."""
        return t("The present step is finished first. Then you can go on or undo it.")

    @property
    def places(self) -> tuple[str, ...]:
        """Where it has mounted something that files can be brought to, once it is done."""
        return ()

    def power(self, services: Services, run: Path, working: int | None, begun: bool) -> Text:
        """What a power cut now would leave, while step `working`, from 1, is done; empty where nothing
        tells."""
        return services.power(run)

    def outcome(self, services: Services, run: Path, state: RunState, entries: Sequence[Entry]) -> Outcome:
        """How the run stands."""
        raise NotImplementedError
