"""The desk at which one conversation is held."""

from dataclasses import dataclass

from wizard.plain.talk import Talk
from wizard.services.contract import Services

STEPS = 9
MOVING_STEPS = 6


@dataclass(frozen=True, slots=True)
class Desk:
    """Who is talked to, and who is asked about the drives."""

    talk: Talk
    services: Services

    def heading(self, number: int, title: str) -> None:
        """`Step 3 of 9: Advice`, with an empty line before it."""
        self.talk.say()
        self.talk.say(f"Step {number} of {STEPS}: {title}")

    def moving_heading(self, number: int, title: str) -> None:
        """`To ext4, step 2 of 6: Ways`, with an empty line before it."""
        self.talk.say()
        self.talk.say(f"To ext4, step {number} of {MOVING_STEPS}: {title}")
