"""A way to ext4 that is carried to a rescue medium: saved as a file, and told step by step."""

from collections.abc import Callable
from pathlib import Path

from wizard.migrate.carried_document import render_carried
from wizard.migrate.carry import carrying_steps
from wizard.model.carried import Carried
from wizard.model.names import printable
from wizard.tui.saving import save_text
from wizard.tui.step import StepScreen
from wizard.tui.text.plantext import CommandLines
from wizard.tui.widgets.words import Block, gap, para

LONGEST = 1000


def save_carried(screen: StepScreen, carried: Carried, show: Callable[[list[Block]], None]) -> None:
    """Ask for a name and save it; `show` is given what is to be done with it then."""

    def saved(path: Path) -> None:
        screen.say(f"It is saved: diskwright show {path}", "green")
        show(carrying_blocks(carried, str(path)))

    save_text(
        screen,
        "Save the plan to be carried",
        render_carried(carried),
        f"{Path(carried.device).name}-carry.json",
        saved,
    )


def carrying_blocks(carried: Carried, file: str) -> list[Block]:
    """What a person does with the file, in order, and what to mind."""
    blocks: list[Block] = [para("Nothing has been changed. What to do with the plan", "bold")]
    for number, (sentence, command) in enumerate(carrying_steps(carried, file), 1):
        blocks += [gap(), para(f"{number}. {sentence}", hang=3)]
        if command:
            blocks.append(CommandLines(command))
    for doubt in carried.doubts:
        blocks += [gap(), para(f"- {printable(doubt, LONGEST)}", hang=2)]
    return blocks
