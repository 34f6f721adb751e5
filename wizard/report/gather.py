"""Where a report's parts come from, and the sentence for each that cannot be had."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from wizard import __version__
from wizard.advise.advise import advise
from wizard.advise.workloads import find_workload
from wizard.apply.decide import power_told
from wizard.apply.migration.of_run import load_migration
from wizard.apply.move.of_run import load_moves
from wizard.apply.plan.same_drive import identity_difference
from wizard.apply.run.facts_kept import kept_machine
from wizard.apply.run.journal import read_entries, state
from wizard.apply.run.runs import Kind, kind_of, load_plan, outline
from wizard.apply.tune.of_run import load_changes
from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.model.advice import Advice
from wizard.model.displaced import DisplacedVerdict
from wizard.model.documents.changes import Changes
from wizard.model.documents.migration import Migration
from wizard.model.documents.move import Moves
from wizard.model.errors import BadInput
from wizard.model.identity import Identity
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable
from wizard.model.plan import Plan, Volume
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.probe.machine import probe_machine
from wizard.report.history import record_of
from wizard.report.nouns import Absence, Facts, Report, RunRecord
from wizard.report.words import page as words
from wizard.trial.candidates.result import TrialVerdict

Document = Plan | Changes | Migration | Moves


@dataclass(frozen=True, slots=True)
class Sources:
    """What a report is made from; everything may be missing.

    A `run` is read from its folder. `machine` is a recording, and `origin` the sentence that says which;
    without one the drives are read now. `workload` asks for advice where there is no plan.
    """

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
    """Everything that can be had from the sources. Raises BadInput for a run, a drive or a purpose that was
    named and is not there."""
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
        absent.append(Absence("run", str(words.NO_RUN())))
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
        displaced=sources.displaced,
        trial=sources.trial,
    )


def _document(sources: Sources, absent: list[Absence]) -> Document | None:
    """What the run carries out, or the plan that was named; a damaged one is told as missing."""
    if sources.run is None or sources.plan is not None:
        if sources.plan is None:
            absent.append(Absence("plan", str(words.NO_PLAN())))
        return sources.plan
    try:
        match kind_of(sources.run):
            case Kind.CHANGES:
                return load_changes(sources.run)
            case Kind.MIGRATION:
                return load_migration(sources.run)
            case Kind.MOVE:
                return load_moves(sources.run)
            case Kind.PLAN:
                return load_plan(sources.run)
            case Kind.BRING:
                absent.append(Absence("plan", str(words.BRINGS())))
                return None
    except BadInput as error:
        absent.append(Absence("plan", str(error)))
        return None


def _drives_of(document: Document) -> tuple[Identity, ...]:
    match document:
        case Plan():
            return tuple(member.drive for member in document.members)
        case Changes() | Moves():
            return (document.drive,)
        case Migration():
            return (document.drive, *([document.target] if document.target else []))


def _record(run: Path, document: Document | None) -> RunRecord:
    return record_of(run, state(run), read_entries(run), outline(run)[1] if document else 0, power_told(run))


def _measurement(sources: Sources, document: Document | None, facts: Facts | None) -> list[Absence]:
    """What is missing of the measurement, or doubtful about it: a verdict knows its drive by its node
    alone."""
    measured = (sources.verdict, sources.cliff, sources.displaced, sources.trial)
    verdicts = [verdict.drive for verdict in measured if verdict is not None]
    if not verdicts:
        return [Absence("measurement", str(words.NO_VERDICT()))]
    paths = (
        tuple(drive.path for drive in _drives_of(document))
        if document is not None
        else tuple(drive.path for drive in facts.drives)
        if facts is not None
        else ()
    )
    strange = [path for path in verdicts if path not in paths]
    own = paths or words.NO_DRIVE()
    return [Absence("measurement", str(words.OTHER_MEASURED(path=path, own=own))) for path in strange]


def _facts(
    sources: Sources, document: Document | None, absent: list[Absence]
) -> tuple[Facts | None, Machine | None]:
    """What is known of the drives concerned, and the machine they are part of."""
    if document is None and sources.run is not None:
        if kind_of(sources.run) is not Kind.BRING:
            absent.append(Absence("facts", str(words.NOBODY_KNOWS())))
        return None, None
    known = _drives_of(document) if document is not None else ()
    wanted = tuple(drive.path for drive in known) if document is not None else sources.devices
    try:
        machine, origin = _machine(sources, wanted)
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
                diagnose(machine, drive, patterns, _tested(sources.displaced, drive))
                for drive in machine.drives
            ),
            unread=machine.unread,
        ),
        machine,
    )


def _tested(verdict: DisplacedVerdict | None, drive: Drive) -> DisplacedVerdict | None:
    """The quick test of this drive: it must call itself as it did then."""
    if verdict is None:
        return None
    now = (drive.path, printable(drive.model or "", 80), drive.size_bytes)
    return verdict if (verdict.drive, verdict.model, verdict.size_bytes) == now else None


def _machine(sources: Sources, wanted: Sequence[str]) -> tuple[Machine, str]:
    if sources.machine is not None:
        return sources.machine, sources.origin
    if sources.run is not None and (kept := kept_machine(sources.run)):
        return kept, str(words.BEFORE())
    if sources.run is not None:
        return probe_machine(wanted), str(words.AFTER())
    return probe_machine(wanted or None), str(words.NOW())


def _with_only(machine: Machine, wanted: Sequence[str]) -> Machine:
    """The machine with these drives alone, in their order; raises BadInput where it lacks one."""
    drives = tuple(machine.drive(path) for path in wanted)
    missing = next((path for path, drive in zip(wanted, drives, strict=True) if drive is None), None)
    if missing is not None:
        known = tuple(drive.path for drive in machine.drives) or words.NONE()
        raise BadInput(str(words.UNKNOWN_DRIVE(drive=printable(missing), known=known)))
    return replace(machine, drives=tuple(dict.fromkeys(drive for drive in drives if drive is not None)))


def _other_drive(known: Sequence[Identity], machine: Machine) -> str | None:
    """A sentence where the facts are of other drives than these; None where they fit."""
    for identity in known:
        drive = machine.drive(identity.path)
        if drive is not None and (difference := identity_difference(identity, drive)):
            return str(words.OTHER_DRIVE(drive=identity.path, difference=str(difference)))
    return None


def _advice(
    sources: Sources, plan: Plan | None, machine: Machine | None, facts: Facts | None, absent: list[Absence]
) -> tuple[Advice, ...]:
    """For each purpose of the plan, or the one that was asked for; made again from the facts, not
    remembered."""
    if facts is None or machine is None:
        absent.append(Absence("advice", str(words.NO_FACTS())))
        return ()
    if plan is not None:
        asked = dict.fromkeys((volume.workload, _room(plan, volume)) for volume in plan.volumes)
    elif sources.workload is not None:
        asked = {(sources.workload, None): None}
    else:
        absent.append(Absence("advice", str(words.NO_PURPOSE())))
        return ()
    found: list[Advice] = []
    for workload, room in asked:
        try:
            profile = find_workload(workload)
        except BadInput as error:
            if plan is None:
                raise
            absent.append(Absence("advice", str(words.PURPOSE_GONE(why=str(error)))))
            continue
        drives = facts.drives[:1] if plan is not None else facts.drives
        for drive, diagnosis in zip(drives, facts.diagnoses, strict=False):
            found.append(advise(machine, drive, diagnosis.recording, profile, size_bytes=room))
    return tuple(found)


def _room(plan: Plan, volume: Volume) -> int | None:
    """The bytes a volume gets, on all drives together; None where it fills a drive without a table."""
    slots = [
        slot for member in plan.members for slot in member.after.partitions if slot.number == volume.partition
    ]
    return sum(slot.size_bytes for slot in slots) or None
