"""Gather the parts of a report, and explain each missing part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from wizard import __version__
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run.backup_store import OWN_FSTAB, kept_machine
from wizard.apply.run.journal import ENDS, RunState, read_entries, state
from wizard.apply.run.load import load
from wizard.apply.run.runs import command_on
from wizard.apply.run_control import NextCommands, is_not_yet, power_text, working_ways
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice
from wizard.model.errors import BadInput, printable
from wizard.model.ext import Check, Event, JournalEntry
from wizard.model.geometry import Identity
from wizard.model.layout import Volume
from wizard.model.machine import Drive, Machine
from wizard.model.migration import Migration, Moves
from wizard.model.said import t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.plan.changes import Bring, Changes, RunDocument
from wizard.plan.plan import Plan
from wizard.probe.machine import probe_machine
from wizard.report.drives import Absence, Facts, Report, RunRecord, StepResult

NO_DRIVE = t("no drive")


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of a report, all optional. `run` is a folder. `machine` is a recording, described by `origin`;
    without one the drives are read now. `workload` requests advice without a plan."""

    run: Path | None = None
    plan: Plan | None = None
    machine: Machine | None = None
    origin: str = ""
    devices: tuple[str, ...] = ()
    workload: str | None = None
    verdict: Verdict | None = None
    cliff: CliffVerdict | None = None
    displaced: DisplacedVerdict | None = None
    trial: TrialVerdict | None = None


def gather(sources: Sources) -> Report:
    """Gather everything available from the sources. Raises BadInput if a named run, drive or workload is
    missing."""
    absent: list[Absence] = []
    document = _document(sources, absent)
    plan = document if isinstance(document, Plan) else None
    facts, machine = _facts(sources, document, absent)
    advice = (
        ()
        if isinstance(document, Changes | Migration | Moves)
        else _advice(sources, plan, machine, facts, absent)
    )
    absent += _measurement(sources, document, facts)
    if sources.run is None:
        absent.append(Absence("run", str(t("No run specified, so execution and checks are omitted."))))
    return Report(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        diskwright=__version__,
        anonymous=False,
        absent=tuple(absent),
        facts=facts,
        advice=advice,
        plan=plan,
        verdict=sources.verdict,
        cliff=sources.cliff,
        run=None if sources.run is None else _record(sources.run, document),
        changes=document if isinstance(document, Changes) else None,
        migration=document if isinstance(document, Migration) else None,
        move=document if isinstance(document, Moves) else None,
        bring=document if isinstance(document, Bring) else None,
        displaced=sources.displaced,
        trial=sources.trial,
    )


def _document(sources: Sources, absent: list[Absence]) -> RunDocument | None:
    """Return the run's document, or the named plan. Reports a damaged one as missing."""
    if sources.run is None or sources.plan is not None:
        if sources.plan is None:
            absent.append(Absence("plan", str(t("No plan specified."))))
        return sources.plan
    try:
        return load(sources.run)
    except BadInput as error:
        absent.append(Absence("plan", str(error)))
        return None


def _record(run: Path, document: RunDocument | None) -> RunRecord:
    steps = len(document.sentences) if document else 0
    return _record_of(run, state(run), read_entries(run), steps, power_text(run))


def _measurement(sources: Sources, document: RunDocument | None, facts: Facts | None) -> list[Absence]:
    """Report a missing measurement, or that another drive was measured. Verdicts only have the drive's
    node."""
    measured = (sources.verdict, sources.cliff, sources.displaced, sources.trial)
    verdicts = [verdict.drive for verdict in measured if verdict is not None]
    if not verdicts:
        return [
            Absence(
                "measurement",
                str(t("No benchmark result specified. Runs do not store measurements from the wizard.")),
            )
        ]
    paths = (
        tuple(drive.path for drive in document.drives)
        if document is not None
        else tuple(drive.path for drive in facts.drives)
        if facts is not None
        else ()
    )
    others = [path for path in verdicts if path not in paths]
    own = paths or NO_DRIVE
    return [
        Absence(
            "measurement",
            str(
                t(
                    "The measured drive was then called {path}; this report covers {own:list}.",
                    path=path,
                    own=own,
                )
            ),
        )
        for path in others
    ]


def _facts(
    sources: Sources, document: RunDocument | None, absent: list[Absence]
) -> tuple[Facts | None, Machine | None]:
    """Return the facts about the drives and their machine."""
    if document is None and sources.run is not None:
        absent.append(Absence("facts", str(t("The drives of the run are unknown."))))
        return None, None
    known = document.drives if document is not None else ()
    wanted = tuple(drive.path for drive in known) if document is not None else sources.devices
    try:
        machine, origin, is_live = _machine(sources, wanted)
        if wanted:
            machine = _with_only(machine, wanted)
    except BadInput as error:
        if document is None:
            raise
        absent.append(Absence("facts", str(error)))
        return None, None
    if other := _other_drive(known, machine):
        absent.append(Absence("facts", other))
        return None, None
    patterns = load_patterns()
    return (
        Facts(
            origin=origin,
            kernel=machine.kernel.release,
            root=machine.root,
            drives=machine.drives,
            diagnoses=tuple(
                diagnose(
                    machine,
                    drive,
                    patterns,
                    _verdict_for(sources.displaced, drive),
                    OWN_FSTAB if is_live else None,
                )
                for drive in machine.drives
            ),
            absent=tuple(absent_at_boot(probe_machine() if wanted else machine, OWN_FSTAB))
            if is_live and machine.root
            else (),
            unread=machine.unread,
        ),
        machine,
    )


def _verdict_for(verdict: DisplacedVerdict | None, drive: Drive) -> DisplacedVerdict | None:
    """Return the quick test's verdict if node, model and size match the drive."""
    if verdict is None:
        return None
    now = (drive.path, printable(drive.model or "", 80), drive.size_bytes)
    return verdict if (verdict.drive, verdict.model, verdict.size_bytes) == now else None


def _machine(sources: Sources, wanted: Sequence[str]) -> tuple[Machine, str, bool]:
    """Return the machine, where and when it was read, and True if that was now."""
    if sources.machine is not None:
        return sources.machine, sources.origin, False
    if sources.run is not None and (kept := kept_machine(sources.run)):
        return kept, str(t("Read at the start of the run, before the first write.")), False
    origin = (
        t("Read for this report. The run saved no drive information, so this is the state after the run.")
        if sources.run is not None
        else t("Read for this report.")
    )
    return probe_machine(wanted or None), str(origin), True


def _with_only(machine: Machine, wanted: Sequence[str]) -> Machine:
    """Return the machine with only these drives, in order. Raises BadInput if one is missing."""
    drives = tuple(machine.drive(path) for path in wanted)
    missing = next((path for path, drive in zip(wanted, drives, strict=True) if drive is None), None)
    if missing is not None:
        known = tuple(drive.path for drive in machine.drives) or t("none")
        raise BadInput(
            str(
                t(
                    "Drive {drive} is not among the known drives: {known:list}.",
                    drive=printable(missing),
                    known=known,
                )
            )
        )
    return replace(machine, drives=tuple(dict.fromkeys(drive for drive in drives if drive is not None)))


def _other_drive(known: Sequence[Identity], machine: Machine) -> str | None:
    """Return a sentence if the facts are about other drives, else None."""
    for identity in known:
        drive = machine.drive(identity.path)
        if drive is not None and (difference := identity_difference(identity, drive)):
            return str(
                t(
                    "The information on {drive} describes a drive other than the plan's: {difference}.",
                    drive=identity.path,
                    difference=str(difference),
                )
            )
    return None


def _advice(
    sources: Sources, plan: Plan | None, machine: Machine | None, facts: Facts | None, absent: list[Absence]
) -> tuple[Advice, ...]:
    """Return advice for each workload of the plan, or the requested one. Calculated from the facts, not
    stored."""
    if facts is None or machine is None:
        absent.append(Absence("advice", str(t("Advice requires information about the drives."))))
        return ()
    if plan is not None:
        requests = dict.fromkeys((volume.workload, _room(plan, volume)) for volume in plan.volumes)
    elif sources.workload is not None:
        requests = {(sources.workload, None): None}
    else:
        absent.append(Absence("advice", str(t("No workload specified."))))
        return ()
    found: list[Advice] = []
    for workload, room in requests:
        try:
            profile = find_workload(workload)
        except BadInput as error:
            if plan is None:
                raise
            absent.append(
                Absence(
                    "advice", str(t("{why} The plan was made where this workload was known.", why=str(error)))
                )
            )
            continue
        drives = facts.drives[:1] if plan is not None else facts.drives
        for drive, diagnosis in zip(drives, facts.diagnoses, strict=False):
            found.append(advise(machine, drive, diagnosis.recording, profile, size_bytes=room))
    return tuple(found)


def _room(plan: Plan, volume: Volume) -> int | None:
    """Return the bytes of a volume on all drives together, None if it fills a drive without a table."""
    slots = [
        slot for member in plan.members for slot in member.after.partitions if slot.number == volume.partition
    ]
    return sum(slot.size_bytes for slot in slots) or None


def _record_of(
    run: Path, now: RunState, entries: Sequence[JournalEntry], steps: int, power: str = ""
) -> RunRecord:
    """Return the record of a run with this number of steps, from its state and journal. `power` is the effect
    of a power cut."""
    try:
        ways = working_ways(run, now)
    except BadInput:
        ways = NextCommands()
    ends = [entry for entry in entries if entry.event in ENDS]
    return RunRecord(
        id=run.name,
        state=str(now),
        started_at=entries[0].at if entries else None,
        ended_at=ends[-1].at if ends else None,
        ending=str(ways.why_not) or (entries[-1].sentence if entries else ""),
        steps=tuple(step_result(number, entries) for number in range(1, steps + 1)),
        checks=checks_of(entries),
        journal=tuple(entries),
        power=power,
        commands=tuple(command_on(way, run) for way in ways.names),
        not_yet=is_not_yet(now, ways.names),
    )


def step_result(number: int, entries: Sequence[JournalEntry]) -> StepResult:
    """Return the result of a step's last attempt."""
    started = None
    result = StepResult(number, "not begun", None, None, "")
    for entry in entries:
        if entry.step != number:
            continue
        if entry.event is Event.STEP_STARTED:
            started = entry.at
            result = StepResult(number, "begun", started, None, "")
        elif entry.event in (Event.STEP_DONE, Event.STEP_FAILED):
            word = "done" if entry.event is Event.STEP_DONE else "failed"
            result = StepResult(number, word, started, seconds_between(started, entry.at), entry.sentence)
    return result


def checks_of(entries: Sequence[JournalEntry]) -> tuple[Check, ...]:
    """Return the checks since the last start. A resumed run repeats all checks."""
    found: list[Check] = []
    for entry in entries:
        if entry.event is Event.STARTED:
            found = []
        elif entry.event in (Event.VERIFIED, Event.NOT_VERIFIED):
            found.append(Check(entry.sentence, entry.event is Event.VERIFIED, entry.output))
    return tuple(found)


def seconds_between(start: str | None, end: str) -> float | None:
    """Return the time between two entries, None if negative (a clock was set back), unknown or damaged."""
    if start is None:
        return None
    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return seconds if seconds >= 0 else None
