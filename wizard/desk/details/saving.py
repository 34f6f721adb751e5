"""Documents as files: asked for by name, and never over a file that is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Typing
from wizard.desk.asides.words import asking as words
from wizard.desk.places.words.plan import SAVED_APPLY, THE_PLAN
from wizard.desk.view import Field, Tone, para
from wizard.documents.files import write_file
from wizard.model.errors import BadInput

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.desk.jobs.job import Job
    from wizard.desk.place import Place, Values
    from wizard.desk.view import Text


def save(
    desk: Desk, what: Text, text: str, proposal: str, then: Callable[[Path], None] | None = None
) -> None:
    """Ask for a name and write `text` there. `what` it is stands in the middle of a sentence: `the plan`.
    Afterwards the place before says so, and `then` is called."""

    def take(values: Values) -> Callable[[], None]:
        path = _free_path(values.get("file", "").strip())
        name = str(what)
        write_file(path, text, name[:1].upper() + name[1:])
        return partial(saved, path)

    def saved(path: Path) -> None:
        desk.place.tell(words.SAVED(what=what, path=str(path)), Tone.GOOD)
        if then is not None:
            then(path)

    field = Field("file", words.FILE(), proposal, words.FILE_HINT())
    blocks = (para(words.FILE_HELP()), para(words.NEVER_OVER()))
    desk.go(Typing(desk, words.SAVE(what=what), blocks, (field,), take, words.SAVE_KEY()))


def save_job(desk: Desk, place: Place, job: Job) -> None:
    """Ask for a name; then say how what was saved is applied."""
    text, proposal = job.document()

    def saved(path: Path) -> None:
        place.tell(SAVED_APPLY(command=job.command(desk.services, str(path))), Tone.GOOD)

    save(desk, THE_PLAN(), text, proposal, saved)


def _free_path(name: str) -> Path:
    """The path that is meant; raises BadInput where nothing may be written there."""
    if not name:
        raise BadInput(words.NO_NAME())
    try:
        path = Path(name).expanduser()
        there = path.exists() or path.is_symlink()
    except (OSError, RuntimeError, ValueError):
        raise BadInput(words.NOT_A_NAME(name=name)) from None
    if there:
        raise BadInput(words.THERE(path=str(path)))
    return path
