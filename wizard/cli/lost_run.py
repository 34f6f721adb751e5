"""Finish a run whose folder is lost, from the recovery label on the drive."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.plan.rebuild_run import make_found_run, refuse_known
from wizard.apply.plan.recover import FoundRun, found_on
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.runs import run_argument
from wizard.apply.run_control import keep
from wizard.cli.output import say
from wizard.cli.passphrase import passphrase_for
from wizard.model.errors import printable
from wizard.model.said import Message, Sentence, t
from wizard.plan.preview import who

PLACE = Sentence("{path}: {size:exact} at byte {start}")


def keep_from_drive(
    device: str, tokens: Sequence[str], journal_dir: Path | None, passphrase_file: str | None = None
) -> None:
    """Finish the run in a drive's recovery label, and print the result. Without tokens, only show the writes.

    Raises Refused without tokens or if the run's folder is here, and as `found_on` and `keep` do.
    """
    found = found_on(device, journal_dir)
    refuse_known(found, journal_dir)
    for sentence in found_run_lines(found):
        say(sentence)
    secret = passphrase_for(found.plan, passphrase_file, anew=False) if tokens else None
    run = make_found_run(found, tokens, journal_dir, Environment())
    say(t("Finishing as run {run}:", run=run.name))
    say(keep(run, secret))
    say(
        t(
            "No volume was mounted, and no fstab line was added. The old content was lost with the folder "
            "of run {found}. `diskwright status {run}` shows all checks.",
            found=found.run,
            run=run_argument(run),
        )
    )


def found_run_lines(found: FoundRun) -> Iterator[Message | str]:
    """Yield the waiting run and every range to write, as sentences."""
    first = found.notices[0]
    yield t(
        "Run {run}, started {begun:moment}, is waiting on {drives:list}: {told}.",
        run=found.run,
        begun=first.begun,
        drives=found.plan.paths,
        told=first.told,
    )
    for member in found.plan.members:
        yield f"    {who(member.drive)}"
    yield from (f"    {printable(one, 400)}" for one in found.differences)
    yield t(
        "To finish, the withheld bytes are written, the recovery label is overwritten with zeros, and both "
        "are read back:"
    )
    for path, place in found.written():
        yield f"    {PLACE(path=path, size=place.size_bytes, start=place.start_bytes)}"
    yield t(
        "No other bytes are written, and no volume is mounted. Undo is then impossible: the old content was "
        "in the run's folder. If you find that folder again, `undo` with it restores every bit."
    )
