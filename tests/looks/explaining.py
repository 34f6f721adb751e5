"""Looking into the help and the glossary of a screen, by every key that leads there."""

from textual.pilot import Pilot

from tests.looks.rehearsal import press, shown, until
from wizard.services.session import Session
from wizard.tui.widgets.keys import Keys
from wizard.tui.widgets.words import Words


def title(pilot: Pilot[Session]) -> str:
    return next(iter(shown(pilot).splitlines()), "").strip()


def helped(pilot: Pilot[Session]) -> str:
    """All of a help page, as one line."""
    return " ".join(pilot.app.screen.query_one("#help", Words).plain.split())


async def look_into(pilot: Pilot[Session], *, typing: bool = False) -> str:
    """The help by both its keys, and the glossary from the screen and from its help; all lead back. The
    help's text."""
    under = pilot.app.screen
    keys = under.query_one(Keys)
    assert len(keys.lay_out(78)) <= 2, f"the keys of {under!r} do not fit: {keys.plain}"
    for key in ("f1", "question_mark"):
        await press(pilot, key)
        await until(lambda: title(pilot).startswith("Help: "), pilot)
        text = helped(pilot)
        await press(pilot, key)
        await until(lambda: pilot.app.screen is under, pilot)
    for word, does in under.all_keys():  # type: ignore[attr-defined]
        assert f"{word} {does}" in " ".join(text.split()), f"{word} is not in the help of {under!r}"
    await press(pilot, "f2" if typing else "g")
    await until(lambda: title(pilot) == "Glossary", pilot)
    await press(pilot, "f1", "f1", "escape")
    await until(lambda: pilot.app.screen is under, pilot)
    return text
