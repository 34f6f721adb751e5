"""Documents as files: asked for by name, and never over a file that is there."""

from pathlib import Path

from wizard.documents.files import write_file
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.plain.questions import Topic, Word, Writing, write
from wizard.plain.talk import Talk

HELP = (
    "The name of a file to write, as a path from here or a whole one. A file that is there already is left "
    "alone.",
)


def save(talk: Talk, what: str, text: str, proposal: str) -> Path | None:
    """Ask for a name and write `text` there; None where the person goes back."""

    def take(name: str) -> Path:
        try:
            path = Path(name).expanduser()
            there = path.exists() or path.is_symlink()
        except (OSError, RuntimeError):
            raise BadInput(
                f"{printable(name, 60)} cannot be the name of a file; choose another one."
            ) from None
        if there:
            raise BadInput(
                f"{printable(str(path), 200)} exists already and was left alone; choose another name."
            )
        write_file(path, text, what)
        return path

    path = write(talk, Writing(Topic("In which file?", HELP), proposal, proposal), take)
    if isinstance(path, Word):
        return None
    talk.say(f"{what} is saved in {path}.")
    return path
