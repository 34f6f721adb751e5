"""Within step 7: the token of every drive, typed one after the other."""

from wizard.model.errors import BadInput
from wizard.model.identity import Identity
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.plain.desk import Desk
from wizard.plain.questions import Topic, Writing, write


def typed_tokens(desk: Desk, plan: Plan, explained: tuple[str, ...], *, word: str = "") -> bool:
    """Whether every drive's token was typed, and after them the word, where one is wanted; an empty line is a
    no to all."""
    drives = [member.drive for member in plan.members]
    return all(
        typed_token(desk, drive, _asks(drives, number), explained) for number, drive in enumerate(drives)
    ) and (not word or _typed_word(desk, word, explained))


def _typed_word(desk: Desk, word: str, explained: tuple[str, ...]) -> bool:
    def take(typed: str) -> bool:
        if typed and typed != word:
            raise BadInput(f"That is not it: {word}. Nothing was written.")
        return bool(typed)

    asks = f"What is there now cannot be put back. To go on all the same, type {word}"
    return write(desk.talk, Writing(Topic(asks, explained), "", "no, and back", (word,)), take) is True


def _asks(drives: list[Identity], index: int) -> str:
    drive = drives[index]
    token = printable(drive.token, 40)
    if len(drives) == 1:
        return f"The last question. To apply all this now, type the drive's token, which is {token}"
    which = f"The last question, for drive {index + 1} of {len(drives)}"
    return f"{which}. To apply all this now, type the token of {drive.path}, which is {token}"


def typed_token(desk: Desk, drive: Identity, asks: str, explained: tuple[str, ...]) -> bool:
    """Whether one drive's token was typed."""

    def take(typed: str) -> bool:
        if typed and typed != drive.token:
            raise BadInput(
                f"That is not this drive's token, which is {printable(drive.token, 40)}. Nothing was written."
            )
        return bool(typed)

    return write(desk.talk, Writing(Topic(asks, explained), "", "no, and back", (drive.token,)), take) is True
