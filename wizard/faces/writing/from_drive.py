"""`diskwright keep --from-drive`: finish what waits on a drive whose run's folder is lost. Everything that it
writes is shown before."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.apply.decide import keep
from wizard.apply.plan.found.finding import Found, found_on
from wizard.apply.plan.found.making import make_found_run, refuse_known
from wizard.apply.run.environment import Environment
from wizard.apply.run.runs import called
from wizard.faces.showing.console import say
from wizard.faces.writing.ask_passphrase import passphrase_for
from wizard.layout.told.preview import who
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, t

PLACE = Sentence("{path}: {size:exact} at byte {start}")


def keep_from_drive(
    device: str, tokens: Sequence[str], journal_dir: Path | None, passphrase_file: str | None = None
) -> None:
    """Show what waits there and what would be written; with the tokens of the drives, do it and say how it
    ended. Raises Refused without them, where the run's folder is here, and as `found_on` and `keep` do."""
    found = found_on(device, journal_dir)
    refuse_known(found, journal_dir)
    for sentence in told(found):
        say(sentence)
    secret = passphrase_for(found.plan, passphrase_file, anew=False) if tokens else None
    run = make_found_run(found, tokens, journal_dir, Environment())
    say(t("Run {run} finishes it:", run=run.name))
    say(keep(run, secret))
    say(
        t(
            "Nothing is mounted, and no line was added to fstab. What the drive held "
            "before is gone with the folder of the run {found}. `diskwright status "
            "{run}` shows every check.",
            found=printable(found.run, 60),
            run=called(run),
        )
    )


def told(found: Found) -> Iterator[Said | str]:
    """What waits, and every place that is written to, in sentences."""
    first = found.notices[0]
    yield t(
        "The run {run}, begun {begun:moment}, waits on {drives:list}: {told}.",
        run=printable(found.run, 60),
        begun=first.begun,
        drives=found.plan.paths,
        told=printable(first.told, 200),
    )
    for member in found.plan.members:
        yield f"    {who(member.drive)}"
    yield from (f"    {printable(one, 400)}" for one in found.differences)
    yield t(
        "Finishing it writes what was withheld, then zeros in the place of the notice, and reads it back:"
    )
    for path, place in found.written():
        yield f"    {PLACE(path=path, size=place.size_bytes, start=place.start_bytes)}"
    yield t(
        "Nothing else is written, and nothing is mounted. Afterwards there is no way "
        "back to what was there before: that was in the run's folder. Where that "
        "folder is found again, `undo` with it puts back every bit."
    )
