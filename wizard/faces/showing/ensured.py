"""What came of the drives that a file wants to be so: as lines, and as a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from wizard.apply.ensure.look import Look, Standing
from wizard.model.documents.ensure import AlsoDrive, Difference, Ensured, EnsuredDrive
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, Sentences, in_english, t

State = Literal["as-wanted", "would-change", "changed", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Result:
    """A drive as it was `first` seen, and as it was seen `last`, where something was done; the names of the
    runs that did it."""

    first: Look
    last: Look | None = None
    runs: tuple[str, ...] = ()
    code: ExitCode = ExitCode.DONE

    @property
    def exit_code(self) -> ExitCode:
        """How the command ends for this drive alone."""
        return ExitCode.REFUSED if self.state == "refused" else self.code

    @property
    def state(self) -> State:
        """In a word, as the document has it."""
        if self.code is not ExitCode.DONE:
            return "failed" if self.runs else "refused"
        if self.first.standing is Standing.REFUSED:
            return "refused"
        if self.first.standing is Standing.AS_WANTED:
            return "as-wanted"
        return "would-change" if self.last is None else "changed"

    @property
    def differs(self) -> bool:
        """Whether something was changed, or would be."""
        return bool(self.runs) or self.state == "would-change"

    @property
    def said(self) -> tuple[Said | str, ...]:
        """What is otherwise than wanted: at first, or where it was not brought there in the end."""
        return self.last.said if self.last is not None and self.code is not ExitCode.DONE else self.first.said


HEADS = {
    "as-wanted": Sentences(
        "{name}: {drive:and} is as wanted; nothing was changed.",
        "{name}: {drive:and} are as wanted; nothing was changed.",
    ),
    "would-change": Sentence("{name}: {drive:and} would be changed."),
    "changed": Sentences(
        "{name}: {drive:and} was changed, and is as wanted now.",
        "{name}: {drive:and} were changed, and are as wanted now.",
    ),
    "refused": Sentences(
        "{name}: {drive:and} is refused; nothing was written.",
        "{name}: {drive:and} are refused; nothing was written.",
    ),
    "failed": Sentence("{name}: {drive:and} did not become as wanted."),
}


def lines_of(result: Result) -> Iterator[str]:
    """What came of it, and behind that what it is about."""
    name, paths = printable(result.first.name, 100), result.first.paths
    shown = tuple(printable(path, 60) for path in paths)
    head = (
        _head(result.state, name, shown)
        if shown
        else t("{name}: no single drive is meant; nothing was written.", name=name)
    )
    yield str(head)
    if result.state != "changed":
        yield from (f"    {printable(str(said), 2000)}" for said in result.said)


def _head(state: State, name: str, drives: tuple[str, ...]) -> Said:
    sentence = HEADS[state]
    if "count" in sentence.fields:
        return sentence(name=name, drive=drives, count=len(drives))
    return sentence(name=name, drive=drives)


def document_of(results: Sequence[Result], *, check: bool) -> Ensured:
    """All of it as data."""
    changed = any(bool(result.runs) or (check and result.differs) for result in results)
    return Ensured(check, changed, tuple(map(_drive, results)))


def _drive(result: Result) -> EnsuredDrive:
    first = result.first
    last = first if result.last is None else result.last
    after = last.before if result.state == "changed" else first.after
    known = zip_longest(first.drives, first.before, after)
    every = [AlsoDrive(drive.path, drive.token, before, then) for drive, before, then in known if drive]
    one = every[0] if every else None
    return EnsuredDrive(
        name=first.name,
        state=result.state,
        path=one.path if one else None,
        token=one.token if one else None,
        differences=tuple(Difference(said, in_english(said)) for said in result.said),
        before=one.before if one else None,
        after=one.after if one else None,
        replace=first.replace,
        runs=result.runs,
        also=tuple(every[1:]),
    )
