"""Documents as files: asked for by name, and never over a file that is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Typing
from wizard.desk.view import Field, Tone, para
from wizard.documents.files import write_file
from wizard.model.errors import BadInput
from wizard.model.said import t

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
        desk.place.tell(t("{what:First} is saved in {path}.", what=what, path=str(path)), Tone.GOOD)
        if then is not None:
            then(path)

    field = Field("file", t("File"), proposal, t("a name, or a whole path"))
    blocks = (
        para(t("A name alone is a file in the folder where diskwright was started; ~ is your own folder.")),
        para(t("A file that is there already is never overwritten.")),
    )
    desk.go(Typing(desk, t("Save {what}", what=what), blocks, (field,), take, t("save")))


def save_job(desk: Desk, place: Place, job: Job) -> None:
    """Ask for a name; then say how what was saved is applied."""
    text, proposal = job.document()

    def saved(path: Path) -> None:
        place.tell(
            t("Saved. Apply it by: {command}", command=job.command(desk.services, str(path))), Tone.GOOD
        )

    save(desk, t("the plan"), text, proposal, saved)


def _free_path(name: str) -> Path:
    """The path that is meant; raises BadInput where nothing may be written there."""
    if not name:
        raise BadInput(t("Type the name of a file, or press Esc."))
    try:
        path = Path(name).expanduser()
        there = path.exists() or path.is_symlink()
    except (OSError, RuntimeError, ValueError):
        raise BadInput(t("{name} cannot be the name of a file. Choose another one.", name=name)) from None
    if there:
        raise BadInput(t("{path} exists already and was left alone. Choose another name.", path=str(path)))
    return path
