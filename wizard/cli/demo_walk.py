"""Run the whole wizard on the demo drive without questions, and print each stage."""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.plan.start import start_run
from wizard.apply.remedies import diagnose
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import RunState, follow, read_entries, state
from wizard.apply.run_control import keep, undo
from wizard.benchmark.alignment import run_alignment_trial
from wizard.cli.output import page_width, show, tell
from wizard.cli.portrait import portrait
from wizard.demo.drive import DemoDrive
from wizard.filesystems.registry import KINDS
from wizard.findings.geometry import load_patterns
from wizard.model.errors import DiskwrightError, Failed, Refused, printable
from wizard.model.finding import Finding, Recording, Severity
from wizard.model.machine import Drive, Machine
from wizard.model.run import Check, Event
from wizard.model.said import GIB, Message, t
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.preview import preview_lines
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import probe_machine
from wizard.ui.components.plan_rows import RANKS
from wizard.ui.components.reasons import measured_blocks
from wizard.ui.view import Piece, para, strong

REFUSED_FIRST = t("a drive with content is refused without permission to erase")

STAGES = {
    "inspect": t("Read the drive and report problems"),
    "plan": t("Plan two volumes; nothing is written yet"),
    "measure": t("Measure, by reading only"),
    "apply": t("Apply the plan; the result waits for keep or undo"),
    "undo": t("Undo: restore the old content"),
    "again": t("Apply the plan again"),
    "keep": t("Keep the result"),
    "verify": t("Verify the volumes"),
    "refuse": t("Try to undo a kept run"),
}
"""Headings, in order. Recommendations come before the plan."""

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
        machine, drive, recording = self._inspect()
        plan = self._plan(machine, drive, self._advise(machine, drive, recording))
        self._measure(drive)
        self._take_back(self._apply(plan), plan)
        run = self._apply(plan, again=True)
        self._keep(run)
        self._verify(plan)
        self._undo(run)

    def _check(self, what: Message | str, holds: bool, seen: Message | str = "") -> None:
        self.checks.append(Check(str(what), holds, printable(str(seen), 300)))

    def _inspect(self) -> tuple[Machine, Drive, Recording]:
        _stage(STAGES["inspect"])
        machine, drive = self._probe()
        if drive.table is None or drive.size_bytes is None or drive.geometry is None:
            why = tuple(unread.why for unread in drive.unread)
            raise Failed(t("The demo drive {drive} could not be read. {why:row}", drive=drive.path, why=why))
        diagnosis = diagnose(machine, drive, load_patterns())
        show(portrait(drive, diagnosis))
        kinds = [part.filesystem for part in drive.partitions]
        self._check(
            t("the drive is detected as created"),
            drive.table.kind == "gpt" and kinds == ["ext3", "ext3"],
            ", ".join((drive.table.kind, *map(str, kinds))),
        )
        warned = {finding.subject for finding in _misaligned(diagnosis.findings)}
        self._check(
            t("both old partitions are reported as misaligned"),
            warned == {part.path for part in drive.partitions},
            ", ".join(sorted(warned)),
        )
        return machine, drive, diagnosis.recording

    def _probe(self) -> tuple[Machine, Drive]:
        machine = probe_machine([self.demo.path])
        drive = machine.drive(self.demo.path)
        if drive is None:
            raise Failed(t("Demo drive {drive} not found.", drive=self.demo.path))
        return machine, drive

    def _advise(self, machine: Machine, drive: Drive, recording: Recording) -> tuple[VolumeSpec, ...]:
        specs = []
        for workload, size_bytes, label in VOLUMES:
            profile = find_workload(workload)
            _stage(t("Recommend a filesystem: {workload}", workload=profile.workload.title))
            advice = advise(machine, drive, recording, profile, size_bytes=size_bytes)
            for choice in advice.choices:
                if choice.ranked:
                    title, (rank, tone) = KINDS[choice.filesystem].title, RANKS[choice.place]
                    show((para(strong(f"{title}:"), Piece(rank(), tone), choice.sentence, hang=2),))
            if advice.chosen is None:
                obstacles = tuple(o for choice in advice.choices for o in choice.obstacles)
                raise Failed(
                    t(
                        "No filesystem can be created for {workload}: {obstacles:row}",
                        workload=workload,
                        obstacles=obstacles,
                    )
                )
            options = (*advice.chosen.mkfs, *advice.chosen.mount)
            show(para(strong(option.text), option.why, indent=2, hang=2) for option in options)
            specs.append(
                VolumeSpec(advice.chosen, profile.workload, size_bytes, label, str(self.demo.mounts / label))
            )
        return tuple(specs)

    def _plan(self, machine: Machine, drive: Drive, specs: tuple[VolumeSpec, ...]) -> Plan:
        _stage(STAGES["plan"])
        try:
            make_plan(machine, (drive,), NewVolumes(specs))
        except Refused as error:
            self._check(REFUSED_FIRST, True, str(error))
        else:
            self._check(REFUSED_FIRST, False)
        plan = make_plan(machine, (drive,), NewVolumes(specs, Mode.REPLACE))
        tell(preview_lines(plan, page_width(sys.stdout)))
        return plan

    def _measure(self, drive: Drive) -> None:
        _stage(STAGES["measure"])
        verdict = run_alignment_trial(
            drive,
            write=False,
            seconds=BENCH_SECONDS,
            on_progress=lambda _: None,
            stop=lambda: False,
            assume_physical_bytes=ASSUMED_PHYSICAL_BYTES,
        )
        show((para(strong(verdict.sentence)), *measured_blocks(verdict), *map(para, verdict.caveats)))
        self._check(
            t("the benchmark measured pairs and reached a verdict"), len(verdict.pairs) > 0, verdict.outcome
        )

    def _apply(self, plan: Plan, *, again: bool = False) -> Path:
        """Apply the plan and return the run, fully written and waiting."""
        _stage(STAGES["again" if again else "apply"])
        environment = Environment(fstab=self.demo.fstab, only=frozenset({self.demo.path}))
        if not again:
            show((para(t("Instead of /etc/fstab, the demo uses {file}.", file=str(self.demo.fstab))),))
            self._refuses_others(plan, environment)
        run = start_run(plan, plan.drive.token, journal_dir=self.demo.runs, environment=environment)
        self._follow(run)
        ended = state(run)
        self._check(t("the run is written and waiting"), ended is RunState.WAITING, ended)
        if ended is not RunState.WAITING:
            raise Failed(
                t("The run on the demo drive ended as {state}; see the messages above.", state=ended)
            )
        _, drive = self._probe()
        self._check(
            t("no volume can be mounted while waiting"),
            not drive.signatures and not drive.partitions,
            ", ".join(s.kind for s in drive.signatures),
        )
        return run

    def _follow(self, run: Path, seen: int = 0) -> None:
        """Print the run's entries after the first `seen`, and add the run's checks."""
        for entry in follow(run, seen):
            if entry.event in TOLD:
                tell([printable(str(entry.sentence), 400)])
            if entry.event in (Event.VERIFIED, Event.NOT_VERIFIED):
                found = entry.output.strip()
                self._check(entry.sentence, entry.event is Event.VERIFIED, found)

    def _take_back(self, run: Path, plan: Plan) -> None:
        _stage(STAGES["undo"])
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
        _stage(STAGES["keep"])
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
        _stage(STAGES["verify"])
        machine, drive = self._probe()
        seen = [(part.start_bytes, part.size_bytes, part.filesystem) for part in drive.partitions]
        wanted = [(slot.start_bytes, slot.size_bytes, slot.filesystem) for slot in plan.after.partitions]
        self._check(t("the drive matches the plan"), seen == wanted)
        left = _misaligned(diagnose(machine, drive, load_patterns()).findings)
        self._check(t("no partition is misaligned"), not left, ", ".join(finding.code for finding in left))
        lines = self.demo.fstab.read_text().splitlines()
        for volume in plan.volumes:
            part = drive.partition(volume.path)
            place, label = str(volume.mount_point), str(volume.label)
            mounted = part is not None and place in part.mount_points
            self._check(t("{label} is mounted", label=label), mounted, place)
            self._check(t("{label} is readable and writable", label=label), _holds_files(Path(place)))
            named = [line for line in lines if line.startswith(f"UUID={volume.uuid} ")]
            at_boot = " ".join(named)
            self._check(t("{label} will be mounted at boot", label=label), len(named) == 1, at_boot)

    def _undo(self, run: Path) -> None:
        _stage(STAGES["refuse"])
        what = t("undo refuses a kept run")
        try:
            undo(run)
        except Refused as error:
            tell([str(error)])
            self._check(what, True, str(error))
        else:
            self._check(what, False)


def _misaligned(findings: Iterable[Finding]) -> list[Finding]:
    bad = (Severity.DANGER, Severity.WARNING)
    return [finding for finding in findings if finding.code.startswith(ALIGNMENT) and finding.severity in bad]


def _holds_files(place: Path) -> bool:
    path = place / "diskwright-demo.txt"
    path.write_text(f"{PROBE}\n")
    return path.read_text() == f"{PROBE}\n"


def _stage(said: Message) -> None:
    name = str(said)
    print(f"\n{name}\n{'-' * len(name)}", flush=True)
