"""Services on this machine."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.host.running import Running
from wizard.model.errors import BadInput, DiskwrightError, Refused, printable
from wizard.model.machine import Drive, Machine
from wizard.model.said import Sentence, t
from wizard.plan.undo_policy import ROOM_NOT_YET, UndoSpace
from wizard.probe.host.sysfs import drive_names, node_of

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.apply.copy.places import Source
    from wizard.apply.run.backup_store import Environment
    from wizard.benchmark.candidates.compare import Order, TrialVerdict
    from wizard.benchmark.candidates.compare import TrialProgress as Tried
    from wizard.benchmark.measure import MeasureProgress
    from wizard.benchmark.smr_probe import ProbeProgress
    from wizard.ext4.assessment import Situation
    from wizard.host.session import SessionConversion
    from wizard.model.finding import Finding
    from wizard.model.layout import Writer
    from wizard.model.machine import Machine
    from wizard.model.migration import Migration, Prospect
    from wizard.model.verdict import DisplacedVerdict, Verdict
    from wizard.plan.changes import Bring
    from wizard.plan.plan import Plan
    from wizard.plan.request.using import Usual


OTHER_DRIVE = Sentence("{drive} is not the demo drive.")
AS_ROOT = t("Only root can inspect it. As root:")

# Packages are imported inside methods, so the first list of drives appears before they are loaded.


class RealServices(Running):
    """Services on this machine. `only`, `environment` and `journal_dir` are as in `WithRoot`.

    `mounts`: a folder owned by root for mount points, instead of /srv. `page_of` renders the report of a run.
    """

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
        mounts: Path | None = None,
        page_of: Callable[[Path], str] | None = None,
    ) -> None:
        super().__init__(only, environment, journal_dir)
        self._page_of = page_of
        self._mounts = mounts
        self._tried: tuple[Plan, UndoSpace] | None = None
        self._direct: tuple[Plan, str] | None = None
        # Rehearsing a plan reads the drive, which would disturb speed measurements.
        self._one_reads = threading.Lock()

    def report(self, run: Path) -> str:
        """Render the page, if a renderer was given."""
        return self._page_of(run) if self._page_of else super().report(run)

    def _arrays(self) -> Sequence[str]:
        """Return arrays known to mdadm."""
        from wizard.apply.steps.arrays import taken_arrays

        return taken_arrays()

    def _with_boot_entries(self, plan: Plan, drives: Sequence[Drive]) -> Plan:
        """Read fstab, crypttab and the mount points of this system."""
        from wizard.apply.plan.guard import check_places
        from wizard.apply.settings.existing_filesystem import with_lines_left

        check_places(plan)
        return with_lines_left(plan, drives, self._apply_environment)

    @property
    def _fstab(self) -> Path | None:
        return self._apply_environment.fstab

    def absent_at_boot(self, machine: Machine) -> tuple[Finding, ...]:
        """Check fstab, unless only some drives are read."""
        return () if self._only is not None else super().absent_at_boot(machine)

    def usual(self) -> Usual:
        """Return the defaults of this system. In `mounts`, volumes belong to root because no one else can
        reach them."""
        from wizard.apply.system.mounts import fixed_fstab, taken_places, usual_places
        from wizard.model.layout import ROOT
        from wizard.plan.request.using import Usual
        from wizard.probe.host.environment import caller

        places = str(self._mounts) if self._mounts else usual_places()
        return Usual(
            ROOT if self._mounts else caller(),
            places,
            taken_places(places, self._apply_environment.fstab),
            fixed_fstab(self._apply_environment.fstab),
        )

    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...] | None:
        """Read fstab of this system, which requires no privileges."""
        from wizard.apply.settings.existing_filesystem import options_at_boot

        return options_at_boot(drive, device, self._apply_environment.fstab)

    def writer_named(self, text: str) -> Writer:
        """Look up users and groups of this system."""
        from wizard.probe.host.environment import writer_named

        return writer_named(text)

    def drive_paths(self) -> tuple[str, ...]:
        """Read sysfs."""
        return self._only if self._only is not None else tuple(map(node_of, drive_names(all_devices=False)))

    def surroundings(self) -> Machine:
        """Probe the machine without accessing drives."""
        if root := self._root:
            from wizard.probe.interpret import machine_of

            return machine_of(root.look(()))
        from wizard.probe.machine import probe_machine

        return probe_machine(())

    def probe(self, on_drive: Callable[[Drive], None]) -> Machine:
        """Read drives in workers with a time limit, or in the privileged process, which reports all drives
        together."""
        if root := self._root:
            from wizard.probe.interpret import machine_of

            machine = machine_of(root.look(self._only))
            for drive in machine.drives:
                on_drive(drive)
            return machine
        from wizard.probe.machine import probe_machine

        if not self.needs_root:
            from wizard.benchmark.candidates.partition import sweep_all

            # Otherwise a partition left by a killed benchmark would look like user data.
            sweep_all()
        return probe_machine(self._only, on_drive=on_drive)

    def changes(self, stop: threading.Event) -> Iterator[None]:
        """Watch hotplug events. No changes on a restricted machine."""
        from wizard.probe.pool import watch_drives

        return iter(()) if self._only is not None else watch_drives(stop)

    def is_attached(self, drive: Drive) -> bool:
        """Compare the kernel's sequence number of the disk."""
        from wizard.probe.pool import is_attached

        return is_attached(drive.path, drive.diskseq)

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[MeasureProgress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        """Measure on the drive itself."""
        if self._only is not None and drive.path not in self._only:
            raise Refused(str(OTHER_DRIVE(drive=drive.path)))
        from wizard.benchmark.alignment import run_alignment_trial

        with self._one_reads:
            return run_alignment_trial(
                drive, write=write, on_progress=on_progress, stop=stop, assume_physical_bytes=physical_bytes
            )

    def quick_test(
        self, drive: Drive, *, on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
    ) -> DisplacedVerdict:
        """Test on the drive itself."""
        if self._only is not None and drive.path not in self._only:
            raise Refused(str(OTHER_DRIVE(drive=drive.path)))
        from wizard.benchmark.smr_run import run_smr_probe

        with self._one_reads:
            verdict = run_smr_probe(drive, on_progress=on_progress, stop=stop, patterns=self._patterns)
        return self.remember_test(drive, verdict)

    def try_filesystems(
        self, order: Order, *, on_progress: Callable[[Tried], None], stop: Callable[[], bool]
    ) -> TrialVerdict:
        """Compare on the drive itself."""
        if self._only is not None and order.drive.path not in self._only:
            raise Refused(str(OTHER_DRIVE(drive=order.drive.path)))
        from wizard.benchmark.candidates.trial import run_trial

        with self._one_reads:
            return run_trial(order, on_progress, stop)

    def why_direct(self, plan: Plan) -> str:
        """Check the means to create a scratch copy, which requires root. Done once per plan."""
        if self.needs_root:
            from wizard.plan.rehearsed import direct_reason

            return direct_reason(plan)
        if self._direct is None or self._direct[0] is not plan:
            from wizard.apply.plan.start import why_direct
            from wizard.apply.run.runs import runs_folder

            self._direct = plan, why_direct(plan, runs_folder(self._journal_dir))
        return self._direct[1]

    def rehearses(self, plan: Plan) -> bool:
        """See `Services.rehearses`. Only root can create scratch copies."""
        return (not self.needs_root or self._root is not None) and not self.why_direct(plan)

    def undo_space(self, plan: Plan) -> UndoSpace:
        """Determine the space in the run's future folder. After success, the same plan is not rehearsed
        again."""
        if self.why_direct(plan):
            return UndoSpace()
        if not self.rehearses(plan):
            return ROOM_NOT_YET
        with self._one_reads:
            if self._tried is None or self._tried[0] != plan:
                try:
                    room = self._rehearsed_room(plan)
                except DiskwrightError as error:
                    return UndoSpace(
                        str(
                            t(
                                "The space needed for undo is unknown. {why}",
                                why=str(error),
                            )
                        )
                    )
                if not room.fits:
                    return room
                self._tried = plan, room
            return self._tried[1]

    def _rehearsed_room(self, plan: Plan) -> UndoSpace:
        if root := self._root:
            return root.undo_space(plan, self._journal_dir)
        from wizard.apply.plan.job import undo_space
        from wizard.apply.run.runs import runs_folder

        return undo_space(plan, runs_folder(self._journal_dir), self._apply_environment)

    def journal_doubts(self) -> tuple[str, ...]:
        """Check if the journal survives a power cut."""
        from wizard.apply.run.runs import STATE, doubts_about, runs_folder

        # The privileged process does not see an unprivileged user's environment.
        folder = self._journal_dir or STATE / "runs" if self.needs_root else runs_folder(self._journal_dir)
        return () if self.demo else doubts_about(folder)

    def migration_prospect(self, drive: Drive, moving: SessionConversion) -> Prospect:
        """Inspect the filesystem, which requires root."""
        from wizard.ext4.ways import prospect_of

        return prospect_of(self._inspect_ext(moving))

    def plan_migration(self, drive: Drive, moving: SessionConversion) -> Migration:
        """Inspect the filesystem again and plan the steps."""

        return plan_for(self._inspect_ext(moving), moving)

    def bring_sources(self, targets: Sequence[str]) -> tuple[Source, ...]:
        """Read the drives again, because volumes may have been created or mounted since."""
        from wizard.apply.copy.places import homes_apart

        found = super().bring_sources(targets)
        return (*homes_apart(found), *found)

    def plan_bring(self, source: str, target: str, into: str, *, takes_place: bool) -> Bring:
        """Count the files, which requires root to see all."""
        if self.apply_obstacle:
            raise Refused(self.obstacle)
        if self.needs_root:
            from wizard.model.requests import CopyFiles

            return self._asked_root.work_out_copy(CopyFiles(source, target, into, takes_place))
        from wizard.apply.copy.survey import work_out

        return work_out(source, target, into or None, self._apply_environment, takes_place=takes_place)

    def _inspect_ext(self, moving: SessionConversion) -> Situation:
        """Inspect the filesystem as root."""
        if self.apply_obstacle:
            device = shlex.quote(printable(moving.device, 200))
            raise Refused(f"{AS_ROOT}  diskwright migrate {device}")
        if self.needs_root:
            return self._asked_root.look_at_ext(moving.device, moving.folder, self._journal_dir)
        from wizard.apply.conversion.look import look_at_ext

        # Space is checked in the given folder, or else in the folder for runs.
        return look_at_ext(
            moving.device,
            self._apply_environment,
            store=moving.folder,
            journal_dir=self._journal_dir,
        )


NO_WAY = t("No method for migration to ext4 was selected.")


def plan_for(situation: Situation, moving: SessionConversion) -> Migration:
    """Return the steps of the selected conversion method."""
    from wizard.ext4.blockers import WRITING
    from wizard.ext4.make import make_migration

    if moving.way is None:
        raise BadInput(str(NO_WAY))
    return make_migration(
        situation, moving.way, manifest=moving.compares and moving.way in WRITING, repairs=moving.repairs
    )
