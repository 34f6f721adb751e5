"""Find the run and drives that a writing command means, and show them before any write."""

from collections.abc import Iterator
from pathlib import Path

from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.plan.rehearsed import next_commands
from wizard.apply.plan.run_drives import later_runs
from wizard.apply.plan.run_summary import DIRECT
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.run.journal import RunState, begun_steps, done_steps, read_entries, state
from wizard.apply.run.kinds import load
from wizard.apply.run.progress_log import check_noted
from wizard.apply.run.runs import check_owner, find_run, list_runs, run_argument, runs_folder
from wizard.apply.run_control import job_of
from wizard.cli.command import typed
from wizard.cli.output import say
from wizard.findings.contents import contents_words
from wizard.model.errors import BadInput, DiskwrightError, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.said import Message, Sentence, t
from wizard.probe.machine import probe_drive
from wizard.ui.components.drive_rows import who

# Refusals.
NEEDS_ROOT = t("This requires root. Nothing was written. To run as root:")
NO_RUN = Sentence("No runs in {folder}.")


HALF = Sentence("The run's output is incomplete, so no tool recognises it.")
HALF_BACK = Sentence("The old content is not fully restored, so no tool recognises it.")
NOT_TOLD = t("Unknown content:")

OVER = frozenset({RunState.UNDONE, RunState.KEPT})

SETTLED_PHASES = frozenset({Phase.RELEASED, Phase.KEPT, Phase.UNDONE, Phase.LEFT})

MADE_THERE = {
    Phase.CLEARING: HALF,
    Phase.REPLACING: HALF,
    Phase.HIDDEN: Sentence("The result of this run is waiting: everything except the signatures is written."),
    Phase.RELEASING: HALF,
    Phase.CLEARING_BACK: HALF_BACK,
    Phase.REPLACING_BACK: HALF_BACK,
    Phase.RELEASING_BACK: HALF_BACK,
}
"""Content of the drive in phases in which probing shows too little."""


def choose_run(name: str | None, command: str, journal_dir: Path | None) -> Path:
    """Return the run that `diskwright COMMAND [NAME]` refers to: the named run, or the only open run.

    Raises BadInput if the name is unknown or no run exists. Raises Refused if no run or several runs are
    open; several are listed, each with the command that selects it.
    """
    if name is not None:
        return find_run(name, journal_dir)
    runs = list_runs(journal_dir)
    where = printable(str(runs_folder(journal_dir)), 200)
    if not runs:
        raise BadInput(NO_RUN(folder=where))
    found = _in_question(tuple(run for run in runs if is_open(run, command)), command)
    if not found:
        raise Refused(_nothing_to(command, where, runs[-1]))
    if len(found) > 1:
        say(t("{runs} runs are open. Choose one:", runs=len(found)))
        for run in found:
            say(f"{typed(command, run_argument(run))}    {_brief(run)}")
        raise Refused(
            t(
                "`diskwright {command}` needs a run name: {runs} runs match. Nothing was written.",
                command=command,
                runs=len(found),
            )
        )
    return found[0]


def _nothing_to(command: str, where: str, newest: Path) -> Message:
    """Explain why the command matches no run, with the state of the newest run."""
    if command == "look":
        return t(
            "No run in {folder} is waiting. To inspect a filesystem converted to ext4, mount it read-only; "
            "`diskwright status` shows the command. Nothing was written.",
            folder=where,
        )
    if job_of(newest).is_direct(newest):
        return DIRECT(name=newest.name)
    return t(
        "Cannot {command}: no run in {folder} is open (newest: {newest}, {state}). `diskwright status` "
        "lists all runs. Nothing was written.",
        command=command,
        folder=where,
        newest=newest.name,
        state=state(newest),
    )


def _in_question(found: tuple[Path, ...], command: str) -> tuple[Path, ...]:
    """Return the open runs to choose from.

    `keep` ignores runs that wrote nothing, and so does `resume` if a run is half done. `undo` includes them,
    so that another run is not undone by mistake.
    """
    wrote = tuple(run for run in found if not _wrote_nothing(run))
    if command == "keep" or (command == "resume" and any(not _waits(run) for run in wrote)):
        return wrote
    return found


def _wrote_nothing(run: Path) -> bool:
    """Return True if the run failed or was refused before any write to a drive."""
    try:
        if state(run) not in (RunState.FAILED, RunState.REFUSED):
            return False
        record = load_record(run)
        return record.phase in UNTOUCHED if record else not begun_steps(read_entries(run))
    except BadInput:
        return False


def _waits(run: Path) -> bool:
    try:
        return state(run) is RunState.WAITING
    except BadInput:
        return False


def is_open(run: Path, command: str) -> bool:
    """Return True if `command` could mean this run: running, ended early or waiting. Unreadable runs always
    match."""
    try:
        now = state(run)
        return now not in OVER and job_of(run).is_meant(run, command, now)
    except BadInput:
        return True


def _brief(run: Path) -> str:
    """Return the run's drives, state and progress."""
    try:
        drives = tuple(map(who, load(run).drives))
        done, steps = len(done_steps(read_entries(run))), len(load(run).sentences)
        return str(
            t(
                "{drives:semicolons}: {state}, {done} of {steps} steps done",
                drives=drives,
                state=state(run),
                done=done,
                steps=steps,
            )
        )
    except BadInput as error:
        return printable(str(error), 400)


def tell_drives(run: Path) -> None:
    """Print the run, the drives and their current content.

    Raises Refused if a user other than root could have created the run, or the journal is not writable.
    """
    check_owner(run)
    check_noted(run)
    say(t("Run {run}:", run=run_argument(run)))
    waits = state(run) is RunState.WAITING
    # Conversions describe a hidden result themselves.
    known = job_of(run).phase(run)
    phase = Phase.HIDDEN if waits else known
    there, set_up_later = MADE_THERE.get(phase) if phase else None, later_runs(run)
    made = str(there()) if there and not set_up_later else ""
    moved = job_of(run).relocated(run)
    for drive in load(run).drives:
        now = (moved[drive.path],) if drive.path in moved else ()
        for sentence in (who(drive), *now, *(() if now else _holds(drive, made))):
            say(f"    {sentence}")
    for later in filter(_is_unsettled, set_up_later):
        say(
            t(
                "Run {name} was started later and wrote to the same drive. First run `diskwright undo "
                "{run}` or `diskwright keep {run}`.",
                name=later.name,
                run=run_argument(later),
            )
        )
    if known and made and not waits:
        say(next_commands(run))


def _is_unsettled(run: Path) -> bool:
    record = load_record(run)
    return record is not None and record.phase not in SETTLED_PHASES


def _holds(known: Identity, made: str) -> Iterator[str]:
    """Yield the drive's content: the result `made` by the run, or else the recognised content."""
    try:
        drive = probe_drive(known.path, seconds=LOOK_SECONDS)
    except DiskwrightError as error:
        yield f"{NOT_TOLD} {error}"
        return
    if difference := identity_difference(known, drive):
        yield str(t("{path} is now a different drive: {difference}.", path=known.path, difference=difference))
    else:
        yield made or str(t("Content: {what}.", what=contents_words(drive)))
