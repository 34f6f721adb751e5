"""The report as a document: drives, advice, plan, measurements and run. Explains each missing part."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import fields, replace

from wizard import __version__
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.local_runs import LocalRuns
from wizard.apply.plan.identity_check import identity_difference
from wizard.apply.remedies import absent_at_boot, diagnose
from wizard.apply.run import journal, runs
from wizard.apply.run.backup_store import ANY, OWN_FSTAB, kept_machine
from wizard.apply.run.kinds import load
from wizard.apply.run_control import is_not_yet
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult
from wizard.documents.codec import render_document
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Advice
from wizard.model.errors import BadInput, WhereUsed, printable
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Machine, Unread
from wizard.model.moves import Moves
from wizard.model.run import Check, Event, JournalEntry
from wizard.model.said import Message, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.plan.changes import Bring, Changes, Migration, RunDocument
from wizard.plan.plan import Plan
from wizard.probe.machine import probe_machine, with_only
from wizard.ui.components.run_rows import checks_of

SCHEMA = "diskwright.report/2"


class Absence(Struct, frozen=True):
    """A part missing from the report, with the reason as a sentence."""

    part: str
    why: str


class Facts(Struct, frozen=True):
    """The drives and their diagnoses, in one order. `origin`: when they were read. `absent`: findings about
    drives not attached."""

    origin: str
    kernel: str
    root: bool
    drives: tuple[Drive, ...]
    diagnoses: tuple[Diagnosis, ...]
    unread: tuple[Unread, ...] = ()
    absent: WhereUsed[tuple[Finding, ...]] = ()


class StepResult(Struct, frozen=True):
    """Result of a step. `state`: done, failed, begun (not finished) or not begun. `seconds`: time of the last
    attempt by the journal's clock, None if not finished. `said`: final message."""

    number: int
    state: str
    started_at: str | None
    seconds: float | None
    said: str


class RunRecord(Struct, frozen=True):
    """A run, from the journal. Times are ISO 8601 in UTC. `power`: effect of a power cut. `commands`: what
    the run waits for."""

    id: str
    state: str
    started_at: str | None
    ended_at: str | None
    ending: str
    steps: tuple[StepResult, ...]
    checks: tuple[Check, ...]
    journal: tuple[JournalEntry, ...]
    power: str = ""
    commands: tuple[str, ...] = ()
    not_yet: bool = False


class Report(Struct, frozen=True, kw_only=True):
    """All parts of the document `diskwright.report/2`. `absent` explains missing parts.

    At most one of `plan`, `changes`, `migration`, `move` and `bring` is present. `anonymous`: everything that
    could identify a drive or person was replaced.
    """

    made_at: str
    diskwright: str
    anonymous: bool
    absent: tuple[Absence, ...]
    facts: Facts | None
    advice: tuple[Advice, ...]
    plan: Plan | None = None
    verdict: Verdict | None = None
    cliff: CliffVerdict | None = None
    run: RunRecord | None
    changes: Changes | None = None
    migration: Migration | None = None
    move: Moves | None = None
    bring: Bring | None = None
    displaced: DisplacedVerdict | None = None
    trial: TrialVerdict | None = None

    @property
    def document(self) -> RunDocument | None:
        """The document that the run executes."""
        return self.plan or self.changes or self.migration or self.move or self.bring

    @property
    def measured(self) -> BenchmarkResult | None:
        """The only benchmark result."""
        return self.verdict or self.cliff or self.displaced or self.trial


def render_report(report: Report) -> str:
    """Return the report as JSON text."""
    return render_document(SCHEMA, report)


NOT_SPECIFIED = t("Not specified.")
NO_FACTS = t("The drives are unknown.")


class Sources(Struct, frozen=True):
    """Sources of a report. `run` is a folder, `origin` describes `machine`, a recording; without one the
    drives are read now. `workload` requests advice without a plan."""

    run: Path | None = None
    plan: Plan | None = None
    machine: Machine | None = None
    origin: str = ""
    devices: tuple[str, ...] = ()
    workload: str | None = None
    measured: BenchmarkResult | None = None


def make_report(sources: Sources) -> Report:
    """Gather everything available from the sources. Raises BadInput if a named source cannot be read."""
    return _Gathering(sources).report()


def named_files(run: Path | None) -> Iterator[str]:
    """Yield the paths that a person named for a run."""
    if run is None:
        return
    if run.parent != runs.STATE / "runs":
        yield from map(str, (run, run.parent))
    try:
        environment = runs.load_environment(run)
    except BadInput:
        # Not root: the wizard cannot read it, and cannot use another fstab.
        return
    if not environment.is_running_system:
        for path in (environment.fstab, environment.crypttab):
            yield from dict.fromkeys((str(path), str(path.resolve())))


class _Gathering:
    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.absent: list[Absence] = []
        self.is_live = False
        """True if the drives were read for the report."""
        self.origin = sources.origin
        self.document = self._document()
        self.drives = self.document.drives if self.document else ()

    def report(self) -> Report:
        document, run, measured = self.document, self.sources.run, self.sources.measured
        machine: Machine | None = None
        try:
            machine = self._machine()
        except BadInput as error:
            if document is None and run is None:
                raise
            self._lack("facts", str(error))
        facts = self._facts(machine) if machine else None
        advice = self._advice(machine, facts)
        own = tuple(one.path for one in self.drives or (facts.drives if facts else ()))
        if measured is None:
            self._lack("measurement", NOT_SPECIFIED)
        elif measured.drive not in own:
            # Verdicts only have the drive's node.
            said = t(
                "{path} was measured; the report covers {own:list}.", path=measured.drive, own=own or ("-",)
            )
            self._lack("measurement", said)
        if run is None:
            self._lack("run", NOT_SPECIFIED)
        named: dict[str, Any] = {
            field.name: one
            for field in fields(Report)
            for one in (document, measured)
            if one is not None and type(one) in get_args(field.type)
        }
        return Report(
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            diskwright=__version__,
            anonymous=False,
            absent=tuple(self.absent),
            facts=facts,
            advice=advice,
            run=_record(run, len(document.sentences) if document else 0) if run else None,
            **named,
        )

    def _lack(self, part: str, why: Message | str) -> None:
        self.absent.append(Absence(part, str(why)))

    def _document(self) -> RunDocument | None:
        if self.sources.plan is not None:
            return self.sources.plan
        if self.sources.run is None:
            self._lack("plan", NOT_SPECIFIED)
            return None
        try:
            return load(self.sources.run)
        except BadInput as error:
            self._lack("plan", str(error))
            return None

    def _machine(self) -> Machine:
        """Raises BadInput if facts about these drives are missing."""
        machine, run = self.sources.machine, self.sources.run
        if self.document is None and run is not None:
            raise BadInput(NO_FACTS)
        wanted = tuple(drive.path for drive in self.drives) or self.sources.devices
        if machine is None and run is not None:
            machine = kept_machine(run)
            self.origin = str(t("Read at the start of the run, before the first write."))
        if machine is None:
            self.is_live = True
            machine, read = probe_machine(wanted or None), t("Read for this report.")
            if run is not None:
                read = t("Read for this report, after the run, which saved no drive information.")
            self.origin = str(read)
        machine = with_only(machine, wanted) if wanted else machine
        for identity in self.drives:
            drive = machine.drive(identity.path)
            if drive is not None and (difference := identity_difference(identity, drive)):
                raise BadInput(
                    t("{path} is now a different drive: {difference}.", path=drive, difference=difference)
                )
        return machine

    def _facts(self, machine: Machine) -> Facts:
        patterns, tested = load_patterns(), self.sources.measured
        fstab = OWN_FSTAB if self.is_live else None
        found = (diagnose(machine, one, patterns, _about(tested, one), fstab) for one in machine.drives)
        absent: tuple[Finding, ...] = ()
        if self.is_live and machine.root:
            is_part = bool(self.drives or self.sources.devices)
            absent = tuple(absent_at_boot(probe_machine() if is_part else machine, OWN_FSTAB))
        kernel, drives = machine.kernel.release, machine.drives
        return Facts(self.origin, kernel, machine.root, drives, tuple(found), machine.unread, absent)

    def _advice(self, machine: Machine | None, facts: Facts | None) -> tuple[Advice, ...]:
        """Advice is calculated from the facts, not stored."""
        if facts is None or machine is None:
            self._lack("advice", NO_FACTS)
            return ()
        requests: dict[tuple[str, int | None], None] = {}
        drives = facts.drives
        if isinstance(plan := self.document, Plan):
            requests = {(volume.workload, _room(plan, volume.partition)): None for volume in plan.volumes}
            drives = drives[:1]
        elif plan is None and self.sources.workload is not None:
            requests = {(self.sources.workload, None): None}
        elif plan is None:
            self._lack("advice", NOT_SPECIFIED)
        found: list[Advice] = []
        for workload, room in requests:
            try:
                profile = find_workload(workload)
            except BadInput as error:
                if plan is None:
                    raise
                self._lack("advice", str(error))
                continue
            for drive, diagnosis in zip(drives, facts.diagnoses, strict=False):
                found.append(advise(machine, drive, diagnosis.recording, profile, size_bytes=room))
        return tuple(found)


def _about(found: BenchmarkResult | None, drive: Drive) -> DisplacedVerdict | None:
    """The quick test's verdict must match the drive."""
    if not isinstance(found, DisplacedVerdict):
        return None
    now = (drive.path, printable(drive.model or "", 80), drive.size_bytes)
    return found if (found.drive, found.model, found.size_bytes) == now else None


def _room(plan: Plan, number: int | None) -> int | None:
    """A partition of all drives together; None for a drive without a table."""
    slots = (slot for member in plan.members for slot in member.after.partitions)
    return sum(slot.size_bytes for slot in slots if slot.number == number) or None


def _record(run: Path, steps: int) -> RunRecord:
    now, entries = journal.state(run), journal.read_entries(run)
    here = LocalRuns(ANY)
    ways = here.next_commands(run)
    ends = [entry.at for entry in entries if entry.event in journal.ENDS]
    return RunRecord(
        id=run.name,
        state=str(now),
        started_at=entries[0].at if entries else None,
        ended_at=ends[-1] if ends else None,
        ending=str(ways.why_not) or (entries[-1].sentence if entries else ""),
        steps=tuple(step_result(number, entries) for number in range(1, steps + 1)),
        checks=checks_of(entries),
        journal=tuple(entries),
        power=here.status(run).power,
        commands=tuple(runs.command_on(way, run) for way in ways.names),
        not_yet=is_not_yet(now, ways.names),
    )


def step_result(number: int, entries: Sequence[JournalEntry]) -> StepResult:
    """Return the last attempt of a step."""
    result = StepResult(number, "not begun", None, None, "")
    words = {Event.STEP_DONE: "done", Event.STEP_FAILED: "failed"}
    for entry in entries:
        if entry.step == number and entry.event is Event.STEP_STARTED:
            result = StepResult(number, "begun", entry.at, None, "")
        elif entry.step == number and entry.event in words:
            seconds = seconds_between(result.started_at, entry.at)
            result = replace(result, state=words[entry.event], seconds=seconds, said=entry.sentence)
    return result


def seconds_between(start: str | None, end: str) -> float | None:
    """Return the time between entries; None if negative (a clock was set back) or damaged."""
    if start is None:
        return None
    try:
        seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):
        return None
    return seconds if seconds >= 0 else None
