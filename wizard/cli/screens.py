"""Run the whole wizard on the demo drive without questions, and print each stage.

Also finds the machine and drives that a command names.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.plan.start import start_run
from wizard.apply.remedies import diagnose
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import RunState, follow, read_entries, state
from wizard.apply.run_control import keep, undo
from wizard.benchmark.alignment import run_alignment_trial
from wizard.cli.select_run import not_recorded
from wizard.demo.drive import DemoDrive
from wizard.filesystems.registry import KINDS
from wizard.findings.geometry import load_patterns
from wizard.model.advice import Rank
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused, printable
from wizard.model.ext import Check, Event
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import GIB, Message, Sentence, t
from wizard.plan.plan import Plan
from wizard.plan.planner import Mode, make_plan
from wizard.plan.preview import preview_lines
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import drive_under, load_machine, probe_machine, with_others

REFUSED_FIRST = t("a drive with content is refused without permission to erase")

RANKS = {
    Rank.RECOMMENDED: Sentence("recommended"),
    Rank.ALTERNATIVE: Sentence("good too"),
    Rank.NOT_RECOMMENDED: Sentence("not recommended"),
}
STAGES = {
    "inspect": Sentence("Read the drive"),
    "warn": Sentence("Report problems"),
    "plan": Sentence("Plan two volumes; nothing is written yet"),
    "measure": Sentence("Measure, by reading only"),
    "apply": Sentence("Apply the plan; the result waits for keep or undo"),
    "undo": Sentence("Undo: restore the old content"),
    "again": Sentence("Apply the plan again"),
    "keep": Sentence("Keep the result"),
    "verify": Sentence("Verify the volumes"),
    "refuse": Sentence("Try to undo a kept run"),
}
"""Headings, in order. Recommendations come before the plan."""

WIDTH = 100
BENCH_SECONDS = 5.0
ASSUMED_PHYSICAL_BYTES = 4096
"""Physical block size for the benchmark. A loop device reports 512 bytes, like a drive that hides larger
blocks; only larger blocks show an effect."""

VOLUMES = (("large-media", 4 * GIB, "media"), ("small-files", None, "mail"))
"""Workload, size in bytes (None: the remaining space) and label."""

ALIGNMENT = "alignment-"
PROBE = "diskwright-demo"
"""Content of the file that tests reading and writing."""
TOLD = {
    Event.STEP_STARTED,
    Event.STEP_FAILED,
    Event.VERIFIED,
    Event.NOT_VERIFIED,
    Event.FAILED,
    Event.REFUSED,
    Event.STOPPED,
    Event.WAITING,
    Event.DONE,
    Event.UNDONE,
    Event.KEPT,
}


class Walk:
    """One unattended demo. `checks` collects the results."""

    def __init__(self, demo: DemoDrive) -> None:
        self.demo = demo
        self.checks: list[Check] = []

    def run(self) -> None:
        """Run all stages in order. Raises DiskwrightError if a stage fails."""
        machine, drive = self._inspect()
        diagnosis = self._warn(machine, drive)
        specs = self._advise(machine, drive, diagnosis)
        plan = self._plan(machine, drive, specs)
        self._measure(drive)
        self._take_back(self._apply(plan), plan)
        run = self._apply(plan, again=True)
        self._keep(run)
        self._verify(plan)
        self._undo(run)

    def _check(self, what: Message | str, holds: bool, seen: Message | str) -> None:
        self.checks.append(Check(str(what), holds, printable(str(seen), 300)))

    def _inspect(self) -> tuple[Machine, Drive]:
        _stage(STAGES["inspect"]())
        machine, drive = self._probe()
        if drive.table is None or drive.size_bytes is None or drive.geometry is None:
            why = tuple(unread.why for unread in drive.unread)
            raise Failed(t("The demo drive {drive} could not be read. {why:row}", drive=drive.path, why=why))
        blocks, table = drive.geometry.sector_format, drive.table.kind
        _tell(
            [
                t(
                    "{path}: {size:size}, {blocks}, {table}",
                    path=drive.path,
                    size=drive.size_bytes,
                    blocks=blocks,
                    table=table,
                )
            ]
        )
        _tell(
            t(
                "{path}: starts at {start:exact}, {size:size}, {filesystem}",
                path=part.path,
                start=part.start_bytes,
                size=part.size_bytes,
                filesystem=str(part.filesystem),
            )
            for part in drive.partitions
        )
        _tell(
            t("free: {size:size} from {start:exact}", size=extent.size_bytes, start=extent.start_bytes)
            for extent in drive.free
        )
        kinds = [part.filesystem for part in drive.partitions]
        self._check(
            t("the drive is detected as created"),
            drive.table.kind == "gpt" and kinds == ["ext3", "ext3"],
            ", ".join((drive.table.kind, *map(str, kinds))),
        )
        return machine, drive

    def _probe(self) -> tuple[Machine, Drive]:
        machine = probe_machine([self.demo.path])
        drive = machine.drive(self.demo.path)
        if drive is None:
            raise Failed(t("Demo drive {drive} not found.", drive=self.demo.path))
        return machine, drive

    def _warn(self, machine: Machine, drive: Drive) -> Diagnosis:
        _stage(STAGES["warn"]())
        diagnosis = diagnose(machine, drive, load_patterns())
        for finding in diagnosis.findings:
            _tell([f"{finding.severity}: {finding.sentence}"])
        warned = {finding.subject for finding in _misaligned(diagnosis.findings)}
        wanted = {part.path for part in drive.partitions}
        self._check(
            t("both old partitions are reported as misaligned"),
            warned == wanted,
            ", ".join(sorted(warned)) or t("none"),
        )
        return diagnosis

    def _advise(self, machine: Machine, drive: Drive, diagnosis: Diagnosis) -> tuple[VolumeSpec, ...]:
        specs = []
        for workload, size_bytes, label in VOLUMES:
            profile = find_workload(workload)
            _stage(t("Recommend a filesystem: {workload}", workload=profile.workload.title))
            advice = advise(machine, drive, diagnosis.recording, profile, size_bytes=size_bytes)
            _tell(
                f"{KINDS[choice.filesystem].title}, {RANKS[choice.place]()}: {choice.sentence}"
                for choice in advice.choices
                if choice.ranked
            )
            if advice.chosen is None:
                obstacles = tuple(o for choice in advice.choices for o in choice.obstacles)
                raise Failed(
                    t(
                        "No filesystem can be created for {workload}: {obstacles:row}",
                        workload=workload,
                        obstacles=obstacles,
                    )
                )
            _tell(f"{option.text}: {option.why}" for option in (*advice.chosen.mkfs, *advice.chosen.mount))
            specs.append(
                VolumeSpec(advice.chosen, profile.workload, size_bytes, label, str(self.demo.mounts / label))
            )
        return tuple(specs)

    def _plan(self, machine: Machine, drive: Drive, specs: tuple[VolumeSpec, ...]) -> Plan:
        _stage(STAGES["plan"]())
        try:
            make_plan(machine, drive, specs, None, _draw)
        except Refused as error:
            self._check(REFUSED_FIRST, True, str(error))
        else:
            self._check(REFUSED_FIRST, False, t("planned"))
        plan = make_plan(machine, drive, specs, Mode.REPLACE, _draw)
        _tell(preview_lines(plan, WIDTH))
        return plan

    def _measure(self, drive: Drive) -> None:
        _stage(STAGES["measure"]())
        verdict = run_alignment_trial(
            drive,
            write=False,
            seconds=BENCH_SECONDS,
            on_progress=lambda _: None,
            stop=lambda: False,
            assume_physical_bytes=ASSUMED_PHYSICAL_BYTES,
        )
        _tell([verdict.sentence, *verdict.caveats])
        self._check(
            t("the benchmark measured pairs and reached a verdict"),
            len(verdict.pairs) > 0,
            t("{outcome}, {pairs} pairs", outcome=verdict.outcome, pairs=len(verdict.pairs)),
        )

    def _apply(self, plan: Plan, *, again: bool = False) -> Path:
        """Apply the plan and return the run, fully written and waiting."""
        _stage(STAGES["again" if again else "apply"]())
        environment = Environment(fstab=self.demo.fstab, only=frozenset({self.demo.path}))
        if not again:
            _tell(
                [
                    t(
                        "Instead of /etc/fstab, the demo uses {file}.",
                        file=str(self.demo.fstab),
                    )
                ]
            )
            self._refuses_others(plan, environment)
        run = start_run(plan, plan.drive.token, journal_dir=self.demo.runs, environment=environment)
        self._follow(run)
        ended = state(run)
        self._check(
            t("the run is written and waiting"),
            ended is RunState.WAITING,
            ended,
        )
        if ended is not RunState.WAITING:
            raise Failed(
                t("The run on the demo drive ended as {state}; see the messages above.", state=ended)
            )
        _, drive = self._probe()
        self._check(
            t("no volume can be mounted while waiting"),
            not drive.signatures and not drive.partitions,
            ", ".join(s.kind for s in drive.signatures) or t("no signatures"),
        )
        return run

    def _follow(self, run: Path, seen: int = 0) -> None:
        """Print the run's entries after the first `seen`, and add the run's checks."""
        for entry in follow(run, seen):
            if entry.event in TOLD:
                _tell([entry.sentence])
            if entry.event in (Event.VERIFIED, Event.NOT_VERIFIED):
                found = entry.output.strip() or t("as the run reported")
                self._check(entry.sentence, entry.event is Event.VERIFIED, found)

    def _take_back(self, run: Path, plan: Plan) -> None:
        _stage(STAGES["undo"]())
        seen = len(read_entries(run))
        undo(run)
        self._follow(run, seen)
        _, drive = self._probe()
        same = drive.content_digest == plan.drive.content_digest
        self._check(
            t("the old content is restored"),
            same,
            ", ".join(str(part.filesystem) for part in drive.partitions),
        )

    def _keep(self, run: Path) -> None:
        _stage(STAGES["keep"]())
        seen = len(read_entries(run))
        keep(run)
        self._follow(run, seen)
        ended = state(run)
        self._check(t("the run is complete"), ended is RunState.KEPT, ended)

    def _refuses_others(self, plan: Plan, environment: Environment) -> None:
        """Check that the same plan is refused for a drive outside the demo."""
        what = t("the demo cannot reach other drives")
        try:
            start_run(
                plan,
                plan.drive.token,
                journal_dir=self.demo.runs,
                environment=replace(environment, only=frozenset()),
            )
        except DiskwrightError as error:
            self._check(what, isinstance(error, Refused), str(error))
        else:
            raise Failed(t("The demo guard accepted a drive outside the demo."))

    def _verify(self, plan: Plan) -> None:
        _stage(STAGES["verify"]())
        machine, drive = self._probe()
        seen = [(part.start_bytes, part.size_bytes, part.filesystem) for part in drive.partitions]
        wanted = [(slot.start_bytes, slot.size_bytes, slot.filesystem) for slot in plan.after.partitions]
        self._check(
            t("the drive matches the plan"), seen == wanted, t("{number} partitions", number=len(seen))
        )
        left = _misaligned(diagnose(machine, drive, load_patterns()).findings)
        self._check(
            t("no partition is misaligned"),
            not left,
            ", ".join(finding.code for finding in left) or t("none"),
        )
        lines = self.demo.fstab.read_text().splitlines()
        for volume in plan.volumes:
            part = drive.partition(volume.path)
            place, label = str(volume.mount_point), str(volume.label)
            _tell(
                [
                    t(
                        "{label}: {path}, {filesystem}, {place}",
                        label=label,
                        path=volume.path,
                        filesystem=volume.filesystem,
                        place=place,
                    )
                ]
            )
            mounted = part is not None and place in part.mount_points
            self._check(t("{label} is mounted", label=label), mounted, place)
            self._check(
                t("{label} is readable and writable", label=label),
                _holds_files(Path(place)),
                t("a file was written and read back"),
            )
            named = [line for line in lines if line.startswith(f"UUID={volume.uuid} ")]
            at_boot = " ".join(named) or t("no line")
            self._check(t("{label} will be mounted at boot", label=label), len(named) == 1, at_boot)

    def _undo(self, run: Path) -> None:
        _stage(STAGES["refuse"]())
        what = t("undo refuses a kept run")
        try:
            undo(run)
        except Refused as error:
            _tell([str(error)])
            self._check(what, True, str(error))
        else:
            self._check(what, False, t("undo was not refused"))


def _misaligned(findings: Iterable[Finding]) -> list[Finding]:
    bad = (Severity.DANGER, Severity.WARNING)
    return [finding for finding in findings if finding.code.startswith(ALIGNMENT) and finding.severity in bad]


def _holds_files(place: Path) -> bool:
    path = place / "diskwright-demo.txt"
    path.write_text(f"{PROBE}\n")
    return path.read_text() == f"{PROBE}\n"


def _draw() -> str:
    return str(uuid4())


def _stage(said: Message) -> None:
    name = str(said)
    print(f"\n{name}\n{'-' * len(name)}", flush=True)


def _tell(lines: Iterable[Message | str]) -> None:
    for line in lines:
        print(f"  {printable(str(line), 400)}".rstrip(), flush=True)


def machine_and_drive(device: str, recorded: str | None) -> tuple[Machine, Drive]:
    """Return the machine and the drive at `device`, probed or read from the file `recorded`. Raises BadInput
    if the drive is missing."""
    machine, drives = machine_and_drives([device], recorded)
    return machine, drives[0]


def machine_and_drives(devices: Sequence[str], recorded: str | None) -> tuple[Machine, tuple[Drive, ...]]:
    """Return the machine and the drives at `devices`, in order. Raises BadInput if a drive is missing or
    listed twice."""
    if recorded is None:
        machine = with_others(probe_machine(devices))
        if len(machine.drives) != len(devices):
            raise BadInput(t("A drive is listed twice."))
        return machine, machine.drives
    machine = load_machine(Path(recorded))
    return machine, tuple(_recorded_drive(machine, device, recorded) for device in devices)


def machine_and_part(device: str, recorded: str | None) -> tuple[Machine, Drive, Partition] | None:
    """Return the machine, drive and partition at `device`, or None if `device` is not a partition. Raises
    BadInput if the partition table does not list `device`."""
    if recorded is None:
        if not (path := drive_under(device)):
            return None
        machine = with_others(probe_machine([path]))
        node = str(Path(device).resolve())
    else:
        machine, node = load_machine(Path(recorded)), device
    for drive in machine.drives:
        if part := drive.partition(node):
            return machine, drive, part
    if recorded is None:
        raise BadInput(
            t(
                "The table of {drive} could not be read, or does not list {part}.",
                drive=path,
                part=printable(device),
            )
        )
    return None


def _recorded_drive(machine: Machine, device: str, recorded: str) -> Drive:
    found = machine.drive(device)
    if found is None:
        raise BadInput(not_recorded(machine, device, recorded))
    return found
