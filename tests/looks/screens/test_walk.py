"""The wizard by keys: the number from a drive to its work, Escape on every screen, no accidental start or
end, and every size of screen."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from rich.cells import cell_len
from textual.events import Key

from tests.looks.rehearsal import (
    Hand,
    Rehearsal,
    app_of,
    come,
    flat,
    highlight,
    perform,
    place,
    press,
    ready,
    shown,
    to_place,
    until,
)
from tests.looks.terminals.terminal import ROOT
from tests.looks.workshop import workshop
from wizard.operations.settings import Relabel
from wizard.probe.machine import save_machine

TO_THE_DRIVE, ON, LAST_FOUR = ("down",), ("enter", "enter", "enter"), tuple("0042")
"""From the first usable drive to an empty one; over its purpose and plan to the review; its serial's end."""
MOST_KEYS = 9
SIZES = ((60, 16), (200, 50), (72, 20), (120, 36), (80, 24))


def test_empty_drive_is_writable_after_nine_keys_and_four_characters() -> None:
    services = Rehearsal()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, *TO_THE_DRIVE)
        for key, then in zip(ON, ("purpose", "plan", "review"), strict=True):
            await press(pilot, key)
            await come(pilot, then)
        assert "Nothing is lost." in flat(pilot)
        await press(pilot, *LAST_FOUR, "enter")
        await come(pilot, "work")
        services.applied.set()
        await come(pilot, "result")
        assert "4.0 TB ready at /srv/media" in flat(pilot)
        await press(pilot, "enter")
        await ready(pilot)

    perform(job, services)
    assert len([*TO_THE_DRIVE, *ON, "enter", "enter"]) <= MOST_KEYS
    ((plan, tokens),) = services.started
    assert plan.drive.path == "/dev/sdb" and tokens == ("4KN00042",)


def test_another_workload_takes_two_more_keys() -> None:
    services = Rehearsal()
    services.applied.set()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, *TO_THE_DRIVE, "enter")
        await come(pilot, "purpose")
        await press(pilot, "down", "down", "enter")
        await come(pilot, "plan")
        await press(pilot, "enter", *LAST_FOUR, "enter")
        await come(pilot, "result")

    perform(job, services)
    ((plan, _),) = services.started
    assert {volume.workload for volume in plan.volumes} == {"small-files"}


def test_another_label_takes_six_keys_and_the_name() -> None:
    services = Rehearsal()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, "right", "down", "enter", "r", "ctrl+u", "=cinema", "enter")
        await come(pilot, "review")
        assert "cinema" in flat(pilot) and "Nothing is lost." in flat(pilot)

    desk = perform(job, services)
    ((changes, label),) = services.relabelled
    assert desk.screen.view().place == "review" and label == "cinema"
    assert [type(step.operation) for step in changes.steps] == [Relabel]


PLACES = {
    "drives": (
        *(("enter", "actions"), ("w", "reasons"), ("i", "health"), ("t", "trial"), ("?", "help")),
        *(("f2", "glossary"), ("m", "which"), ("s", "purpose")),
    ),
    "purpose": (("w", "page"), ("?", "help"), ("enter", "plan")),
    "plan": (
        *(("e", "volume"), ("f", "filesystem"), ("o", "options"), ("d", "spread"), ("v", "page")),
        *(("w", "reasons"), ("t", "trial"), ("+", "volume"), ("enter", "review")),
    ),
    "review": (("f3", "page"), ("f4", "typing"), ("f1", "help"), ("f2", "glossary")),
}
"""What is opened from each place on the way, by its key."""


@pytest.mark.parametrize("start", PLACES)
def test_every_screen_closes_with_escape_and_follows_the_screen_size(start: str) -> None:
    async def job(pilot: Hand) -> None:
        await (ready(pilot) if start == "drives" else to_place(pilot, start))
        await shaken(pilot)
        for key, then in PLACES[start]:
            await press(pilot, key)
            await come(pilot, then)
            await shaken(pilot)
            await press(pilot, "escape")
            await come(pilot, start)

    perform(job)


def test_trial_screens_follow_the_screen_size() -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "plan", "/dev/sdb", anew="enter")
        await press(pilot, "c")
        await come(pilot, "typing")
        await shaken(pilot)
        await press(pilot, "enter")
        await until(lambda: "Deleted files" in flat(pilot), pilot)
        await shaken(pilot)

    perform(job)


async def shaken(pilot: Hand) -> None:
    """Change to small and large sizes and back. The same screen is there, drawn to the last line and
    column."""
    here = place(pilot)
    for columns, lines in SIZES:
        await pilot.resize_terminal(columns, lines)
        await until(lambda lines=lines: len(shown(pilot).splitlines()) == lines, pilot)  # type: ignore[misc]
        drawn = shown(pilot).splitlines()
        assert {cell_len(line) for line in drawn} == {columns}, (here, columns, lines)
        assert drawn[-1].strip() and place(pilot) == here, (here, columns, lines)
        assert len(app_of(pilot).face.sheet.lines) == lines


def test_decisions_are_kept_on_the_way_back() -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "plan")
        await press(pilot, "f")
        await come(pilot, "filesystem")
        await highlight(pilot, "btrfs")
        await press(pilot, "enter")
        await come(pilot, "plan")
        assert "media: Btrfs" in flat(pilot)
        await press(pilot, "enter")
        await come(pilot, "review")
        for then in ("plan", "purpose", "drives"):
            await press(pilot, "escape")
            await come(pilot, then)
        await press(pilot, "s")
        await come(pilot, "purpose")
        assert app_of(pilot).keyboard.state.cursor == "large-media"

    perform(job)


def test_drive_in_use_or_unread_is_not_set_up_and_gives_the_reason() -> None:
    async def job(pilot: Hand) -> None:
        await ready(pilot)
        for drive, why in (("/dev/nvme0n1", "is part of the running system"), ("/dev/sdd", "10 s")):
            await highlight(pilot, drive)
            await press(pilot, "s")
            await until(lambda why=why: why in flat(pilot), pilot)  # type: ignore[misc]
            assert place(pilot) == "drives"

    perform(job)


@pytest.mark.parametrize("typed", ["", "0", "042", "00421", "ZCT0", "wrong"])
def test_no_run_starts_without_the_token(typed: str) -> None:
    services = Rehearsal()

    async def job(pilot: Hand) -> None:
        await to_place(pilot, "review", "/dev/sdb", anew="enter")
        before = shown(pilot)
        await press(pilot, f"={typed}", "enter")
        await pilot.pause(0.1)
        assert place(pilot) == "review" and shown(pilot) != before, "it says what is wrong"

    perform(job, services)
    assert not services.started


def test_q_quits_directly_without_decisions() -> None:
    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, "q")
        await until(lambda: app_of(pilot).desk.over, pilot)

    assert perform(job).exit_code() == 0


@pytest.mark.parametrize(
    ("keys", "ends"), [("escape", False), ("enter", False), ("y", True), ("ctrl+c", True)]
)
def test_quitting_asks_if_decisions_would_be_lost_with_no_as_default(keys: str, *, ends: bool) -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "plan")
        for key in ("q", "ctrl+c"):
            await press(pilot, key)
            await come(pilot, "question")
            if key == "q":
                await press(pilot, "escape")
                await come(pilot, "plan")
        await press(pilot, keys)
        if not ends:
            await come(pilot, "plan")

    desk = perform(job)
    assert desk.over


def test_letter_after_an_arrow_goes_to_the_new_position() -> None:
    async def job(pilot: Hand) -> None:
        await to_place(pilot, "plan")
        await press(pilot, "e")
        await come(pilot, "volume")
        keyboard = app_of(pilot).keyboard
        fields = [field.key for field in keyboard.view.fields]
        for _ in range(fields.index("label")):
            pilot.app.post_message(key_of("down"))
        for letter in "qb":
            pilot.app.post_message(key_of(letter))
        await pilot.pause(0.1)
        assert place(pilot) == "volume" and keyboard.state.field == "label"
        assert keyboard.state.values(keyboard.view)["label"].endswith("qb")

    perform(job)


def key_of(key: str) -> Key:
    return Key(key, key if len(key) == 1 else None)


class Tmux:
    """A separate tmux with the real wizard on a recorded machine."""

    def __init__(self, folder: Path, term: str) -> None:
        self.socket = folder / "tmux"
        machine = folder / "machine.json"
        save_machine(machine, workshop())
        program = f"env -u COLUMNS -u LINES {sys.executable} -m wizard --machine {machine}"
        command = f"{program}; echo ended with $?; sleep 600"
        environment = ["-e", f"TERM={term}", "-e", f"PYTHONPATH={ROOT}", "-e", "LANGUAGE=en"]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", *environment, command)

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self.socket), *words], capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout

    def shows(self, *texts: str) -> str:
        """Wait until all of these are visible, and return the screen."""
        end = monotonic() + 90
        while monotonic() < end:
            screen = self.tmux("capture-pane", "-p")
            if all(text in " ".join(screen.split()) for text in texts):
                return screen
            sleep(0.05)
        raise AssertionError(f"{texts} not shown:\n{self.tmux('capture-pane', '-p')}")

    def press(self, key: str, *then: str) -> str:
        """Press one key and wait for the expected screen."""
        self.tmux("send-keys", key)
        return self.shows(*then)


@pytest.fixture(params=["tmux-256color", "linux", "vt220"])
def tmux(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        reason = "tmux is not installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    made = Tmux(tmp_path, request.param)
    try:
        yield made
    finally:
        made.tmux("kill-server")


def test_real_program_on_a_terminal(tmux: Tmux) -> None:
    tmux.shows("Native 4TB", "ST8000DM004", "Stick", "500 GB", "1 warning")
    tmux.press("Down", "serial 4KN00042")
    tmux.press("Enter", "What will you store?", "Large media files")
    tmux.press("Enter", "Mounted at")
    tmux.press("Enter", "Nothing is lost.", "What will be done")
    tmux.press("F1", "Help")
    tmux.press("Escape", "Nothing is lost.")
    for then in ("Mounted at", "What will you store?", "Example NVMe SSD 500GB"):
        tmux.press("Escape", then)
    tmux.press("?", "Help")
    tmux.press("Escape", "Example NVMe SSD 500GB")
    tmux.tmux("resize-window", "-x", "60", "-y", "16")
    tmux.shows("of 5", "sdb")
    tmux.tmux("resize-window", "-x", "50", "-y", "10")
    tmux.shows("50", "10", "60", "16")
    tmux.tmux("resize-window", "-x", "120", "-y", "36")
    tmux.shows("Example Native 4TB", "Enter")
    tmux.press("q", "no")
    tmux.press("y", "ended with 0")
