"""A person without a face at the wizard's desk, on drives that a test made."""

from pathlib import Path

from tests.loop.applying import SECONDS, Work, said, story, unknown_kernel
from tests.loop.program import Event, Machine, list_runs
from tests.unit.ui.person import Person
from wizard.host.this_system import RealServices
from wizard.ui.desk import Desk

MEDIA = "large-media"


class Walker(Person):
    """Waits as long as runs may take on a slow machine."""

    def wait(self) -> None:
        """Until nothing is being done."""
        while True:
            assert self.desk.wait(5 * SECONDS), f"it is still being done: {self.view.place}"
            errand = self.desk.errand
            if errand is None:
                return
            errand()

    def begin(self, *tokens: str, **values: str) -> None:
        """Type the tokens in Review, and do what Enter does."""
        assert self.view.place == "review", (self.view.place, self.said)
        typed = {f"token{number}": token for number, token in enumerate(tokens)}
        self.act("apply", None, **typed, **values)

    def settle(self, key: str) -> None:
        """Keep it or undo it, after the question."""
        self.key(key)
        assert self.view.place == "question", (self.view.place, self.said)
        self.key("y")
        assert self.view.place == "result", (self.view.place, self.said)

    def menu(self, device: str, entry: str) -> None:
        """One entry of a drive's or a partition's menu."""
        drive = next(row.key for row in self.rows if device.startswith(row.key))
        if device != drive and not any(row.key == device for row in self.rows):
            self.desk.moved(drive)
            self.act("open", drive)
        self.desk.moved(device)
        self.act("actions", device)
        assert self.view.place == "actions", (self.view.place, self.said)
        self.act("do", entry)


class Services(RealServices):
    """Of these drives, with the scratch fstab; what is known of the kernel's modules is left out, since a
    loop test runs in any container."""

    demo = property(lambda _: False, lambda _, __: None)

    def surroundings(self) -> Machine:
        return unknown_kernel(super().surroundings())


def services(work: Work, *drives: str) -> Services:
    """Only these drives, which this test made."""
    for drive in drives:
        work.bench.own(drive)
    return Services(only=drives, environment=work.environment, journal_dir=work.runs)


def walker(work: Work, *drives: str) -> Walker:
    """A person at the first screen."""
    return Walker(services(work, *drives))


def again(work: Work, *drives: str) -> Walker:
    """The same person on another day."""
    return walker(work, *drives)


def token_of(drive: str) -> str:
    """What confirms a loop drive."""
    return drive.removeprefix("/dev/")


def run_of(work: Work) -> Path:
    """The only run."""
    (run,) = list_runs(work.runs)
    return run


def checked(run: Path) -> int:
    """How many checks hold; every one has to."""
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
