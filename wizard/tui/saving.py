"""Documents as files: asked for by name, and never over a file that is there."""

from collections.abc import Callable
from pathlib import Path

from wizard.layout.document import render_plan
from wizard.migrate.document import render_migration
from wizard.model.migration import Migration
from wizard.tui.dialogs.questions import AskName
from wizard.tui.step import StepScreen


def save_plan(screen: StepScreen) -> None:
    """Ask for a name and save the session's plan."""
    plan = screen.session.plan
    assert plan is not None
    proposal = f"{Path(plan.drive.path).name}-plan.json"

    def saved(path: Path) -> None:
        screen.say(f"The plan is saved: diskwright show {path}", "green")
        screen.plan_saved(path)

    save_text(screen, "Save the plan", render_plan(plan), proposal, saved)


def save_migration(screen: StepScreen, migration: Migration) -> None:
    """Ask for a name and save what is to be done."""

    def saved(path: Path) -> None:
        screen.say(f"It is saved: diskwright show {path}", "green")
        screen.plan_saved(path)

    proposal = f"{Path(migration.device).name}-to-ext4.json"
    save_text(screen, "Save what is to be done", render_migration(migration), proposal, saved)


def save_text(
    screen: StepScreen, question: str, text: str, proposal: str, saved: Callable[[Path], None]
) -> None:
    """Ask for a name and write `text` there; what goes wrong is said on the screen."""

    def named(name: str | None) -> None:
        if not name:
            return
        path = Path(name).expanduser()
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            screen.say(f"{path} exists already and was left alone; choose another name.", "yellow")
        except (OSError, ValueError, RuntimeError) as error:
            screen.say(f"{path} could not be written: {getattr(error, 'strerror', None) or error}.", "red")
        else:
            saved(path)

    screen.app.push_screen(
        AskName(question, "As a JSON document; a path from here, or a whole one.", proposal), named
    )
