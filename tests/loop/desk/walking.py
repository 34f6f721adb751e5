"""A simulated user of the wizard without a screen, on test drives."""

from collections.abc import Callable
from pathlib import Path

from tests.loop.applying import SECONDS, Work, said, story, unknown_kernel
from tests.loop.program import Event, Machine, list_runs
from tests.unit.ui.person import Person
from wizard.host import services as host
from wizard.ui.desk import Desk

MEDIA = "large-media"


class Walker(Person):
    """A user who waits as long as runs take on a slow machine."""

    def wait(self) -> None:
        """Wait until all work is finished."""
        while True:
            assert self.desk.wait(5 * SECONDS), f"it is still being done: {self.view.place}"
            errand = self.desk.errand
            if errand is None:
                return
            errand()

    def begin(self, *tokens: str, **values: str) -> None:
        """Type the tokens in Review and press Enter."""
        assert self.view.place == "review", (self.view.place, self.said)
        typed = {f"token{number}": token for number, token in enumerate(tokens)}
        self.act("apply", None, **typed, **values)

    def settle(self, key: str) -> None:
        """Keep or undo, and confirm the question."""
        self.key(key)
        assert self.view.place == "question", (self.view.place, self.said)
        self.key("y")
        assert self.view.place == "result", (self.view.place, self.said)

    def menu(self, device: str, entry: str) -> None:
        """Choose an entry from the menu of a drive or partition."""
        drive = next(row.key for row in self.rows if device.startswith(row.key))
        if device != drive and not any(row.key == device for row in self.rows):
            self.desk.moved(drive)
            self.act("open", drive)
        self.desk.moved(device)
        self.act("actions", device)
        assert self.view.place == "actions", (self.view.place, self.said)
        self.act("do", entry)


class Services(host.Services):
    """Services for test drives, with the scratch fstab. Kernel modules are ignored, because loop tests run
    in any container."""

    demo = property(lambda _: False, lambda _, __: None)

    def probe(self, on_drive: Callable[[Machine], None]) -> Machine:
        return unknown_kernel(super().probe(lambda found: on_drive(unknown_kernel(found))))


def services(work: Work, *drives: str) -> Services:
    """Return services for these test drives only."""
    for drive in drives:
        work.bench.own(drive)
    return Services(only=drives, environment=work.environment, journal_dir=work.runs)


def walker(work: Work, *drives: str) -> Walker:
    """Return a user at the first screen."""
    return Walker(services(work, *drives))


def again(work: Work, *drives: str) -> Walker:
    """Return the same user in a new session."""
    return walker(work, *drives)


def token_of(drive: str) -> str:
    """Return the token that confirms a loop drive."""
    return drive.removeprefix("/dev/")


def run_of(work: Work) -> Path:
    """Return the only run."""
    (run,) = list_runs(work.runs)
    return run


def checked(run: Path) -> int:
    """Check that no verification failed, and return the number of verifications."""
    assert not said(run, Event.NOT_VERIFIED), story(run)
    return len(said(run, Event.VERIFIED))


__all__ = [
    "MEDIA",
    "Desk",
    "Services",
    "Walker",
    "again",
    "checked",
    "run_of",
    "services",
    "token_of",
    "walker",
]
