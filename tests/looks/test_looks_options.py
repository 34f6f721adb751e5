"""Options beside the advice, by keys: taken, dropped, and a danger only by its words."""

from textual.pilot import Pilot

from tests.looks.pictures import open_options
from tests.looks.rehearsal import Rehearsal, flat, highlight, perform, press, shown, step, to_step, until
from wizard.advise.catalogue import load_catalogue
from wizard.services.session import Session
from wizard.tui.widgets.lineview import LineView

JOURNAL = load_catalogue()["ext4-no-journal"]


async def to_options(pilot: Pilot[Session], filesystem: str, purpose: str = "large-media") -> None:
    await to_step(pilot, 3, purpose)
    await highlight(pilot, "#ranking", filesystem)
    await open_options(pilot)
    assert f"Options: {filesystem} for" in shown(pilot)


def words_of(pilot: Pilot[Session], widget: str) -> str:
    """All that a widget says, without the breaks between lines and the columns' widths."""
    return " ".join(pilot.app.screen.query_one(widget, LineView).plain.split())


def list_of(pilot: Pilot[Session]) -> str:
    return words_of(pilot, "#offers")


async def typed(pilot: Pilot[Session], text: str) -> None:
    await press(pilot, f"={text}", "enter")


def test_a_danger_is_taken_only_by_its_words_and_follows_into_the_plan() -> None:
    services = Rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_options(pilot, "ext4")
        await highlight(pilot, "#offers", JOURNAL.id)
        await press(pilot, "enter")
        await until(lambda: "puts data at risk" in flat(pilot) and JOURNAL.phrase in flat(pilot), pilot)
        await typed(pilot, "nonsense")
        await until(lambda: "That is not its danger." in flat(pilot), pilot)
        await press(pilot, "escape")
        await until(lambda: "Options: ext4 for" in shown(pilot), pilot)
        assert f"[ ] mkfs: {JOURNAL.text} danger" in list_of(pilot)
        await press(pilot, "enter")
        await until(lambda: "puts data at risk" in flat(pilot), pilot)
        await typed(pilot, JOURNAL.phrase)
        await until(lambda: f"[x] mkfs: {JOURNAL.text} taken" in list_of(pilot), pilot)
        await press(pilot, "escape")
        await step(pilot, 3)
        await until(lambda: "its danger was typed back" in words_of(pilot, "#options"), pilot)
        for number in (4, 5):
            await press(pilot, "enter")
            await step(pilot, number)
        assert "^has_journal" in words_of(pilot, "#preview") and "its danger was typed back" in words_of(
            pilot, "#preview"
        )
        await press(pilot, "b", "b")
        await step(pilot, 3)
        await press(pilot, "o")
        await until(lambda: f"[x] mkfs: {JOURNAL.text} taken" in list_of(pilot), pilot)

    perform(job, services, (120, 36))


def test_an_option_is_taken_and_dropped_and_an_advised_one_gives_way() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_options(pilot, "ext4")
        assert "[x] mkfs: -T largefile4 advised" in list_of(pilot)
        await highlight(pilot, "#offers", "ext4-inode-per-8k")
        await press(pilot, "enter")
        await until(lambda: "[x] mkfs: -i 8192" in list_of(pilot), pilot)
        assert "[ ] mkfs: -T largefile4 gives way" in list_of(pilot)
        await press(pilot, "enter")
        await until(lambda: "[ ] mkfs: -i 8192 can be taken" in list_of(pilot), pilot)
        assert "[x] mkfs: -T largefile4 advised" in list_of(pilot)

    perform(job, size=(120, 50))


def test_a_systems_volume_is_refused_and_nothing_is_asked() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_options(pilot, "ext4", "desktop-root")
        await highlight(pilot, "#offers", JOURNAL.id)
        await press(pilot, "enter")
        await until(lambda: "a volume that the system lives on does not get it" in flat(pilot), pilot)
        assert f"[ ] mkfs: {JOURNAL.text} cannot be had" in list_of(pilot)

    perform(job)


def test_what_cannot_be_made_has_no_options() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        await highlight(pilot, "#ranking", "f2fs")
        await press(pilot, "o")
        await until(lambda: "There are no options to take" in flat(pilot), pilot)

    perform(job)
