"""What came of the drives that a file wants to be so: as lines, and as a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.apply.ensure.look import Look, Standing
from wizard.documents.codec import JSON, to_json
from wizard.faces.words import ensure as words
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import Said, in_english

SCHEMA = "diskwright.ensured/1"


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
    def state(self) -> str:
        """In a word, as the document has it."""
        if self.code is not ExitCode.DONE:
            return "failed" if self.runs else "refused"
        if self.first.standing in (Standing.REFUSED, Standing.AS_WANTED):
            return str(self.first.standing)
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
    "as-wanted": words.AS_WANTED,
    "would-change": words.WOULD_CHANGE,
    "changed": words.CHANGED,
    "refused": words.REFUSED,
    "failed": words.FAILED,
}


def lines_of(result: Result) -> Iterator[str]:
    """What came of it, and behind that what it is about."""
    drive = result.first.drive
    where = printable(drive.path, 60) if drive else words.NO_DRIVE()
    yield str(HEADS[result.state](name=printable(result.first.name, 100), drive=where))
    if result.state != "changed":
        yield from (f"    {printable(str(said), 2000)}" for said in result.said)


def document_of(results: Sequence[Result], *, check: bool) -> JSON:
    """All of it as data. `changed` says whether anything was changed, or with `check` would be."""
    return {
        "check": check,
        "changed": any(result.differs for result in results),
        "drives": [_drive(result) for result in results],
    }


def _drive(result: Result) -> JSON:
    first = result.first
    last = first if result.last is None else result.last
    return {
        "name": first.name,
        "state": result.state,
        "path": first.drive.path if first.drive else None,
        "token": first.drive.token if first.drive else None,
        "differences": [_said(said) for said in result.said],
        "before": to_json(first.before),
        "after": to_json(last.before if result.state == "changed" else first.after),
        "replace": first.replace,
        "runs": list(result.runs),
    }


def _said(said: Said | str) -> JSON:
    """As code and values where it has them, and in English."""
    coded = to_json(said) if isinstance(said, Said) else {"code": None, "values": {}}
    return {**coded, "text": in_english(said)}
