"""Screen 1: drives, waiting runs and available actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod
from itertools import chain

from msgspec.structs import replace

from wizard.apply.local_runs import OpenRun
from wizard.apply.run.journal import RunState
from wizard.ext4.superblock import old_filesystems
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive, Machine
from wizard.model.requests import SetOptions
from wizard.model.said import Sentences, t, tn
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import drive_rows, run_rows
from wizard.ui.components.advice_rows import notice
from wizard.ui.desk import Desk, Screen
from wizard.ui.session import Session

READING = t("reading ...")

CHANGES = (
    Sentences("{drives:and} is now a different drive.", "{drives:and} are now different drives."),
    Sentences("{drives:and} was disconnected.", "{drives:and} were disconnected."),
    Sentences("{drives:and} was plugged in.", "{drives:and} were plugged in."),
)


class DrivesScreen(Screen):
    """List of drives with partitions, updated as drives answer. Waiting runs are listed first.

    The cursor starts on `drive`, or on the partition `part`, if named.
    """

    place = "drives"
    step = ui.ScreenStep.DRIVES
    columns = (ui.Column(), ui.Column(), ui.Column(right=True), ui.Column(), ui.Column())
    title = ui.ScreenStep.DRIVES.shown
    help = (
        t("Reading a drive changes nothing. Right shows the partitions. New drives appear automatically."),
        t("Danger: data at risk. Warning: likely harm, or unconfirmed. Note: good to know."),
    )

    def __init__(self, desk: Desk, drive: str = "", part: str = "") -> None:
        super().__init__(desk)
        self._around: Machine | None = None
        self._asking = self._again = False
        self._named = drive
        self._opened = {drive} if part else set()
        self.row = part or drive
        self._led = bool(drive)
        self._free: dict[str, int | None] = {}
        self._absent: dict[str, Finding] = {}
        self._drawn: dict[str, tuple[tuple[object, ...], ui.Row]] = {}
        """Rows of drives with their sources. Drawing a layout for every key would be slow."""

    def entered(self) -> None:
        if self.desk.touched:
            self.read()

    def read(self) -> None:
        """Read every drive again. Preserves known facts until the new ones arrive."""
        self.desk.touched = False
        before, attached = self.desk.found, self.services.is_attached
        self.desk.found = dict.fromkeys(self.services.drive_paths())
        for path in self.desk.found:
            # A different drive may have this path now.
            if (found := before.get(path)) and attached(found[0]):
                self.desk.found[path] = found
        # Separate from other work of this screen, which must neither hold it up nor wait for it.
        self._again = self._asking
        if self._asking:
            return
        self._asking = True
        self.desk.later(self, self.services.open_runs, lambda runs: setattr(self.desk, "runs", runs))

        def failed(error: DiskwrightError) -> None:
            self.warn(str(error))
            self._finish_asking()

        self.desk.later(self, self._probe, self._probed, failed)

    def _probe(self) -> tuple[Machine, dict[str, tuple[Drive, Diagnosis]], tuple[Finding, ...]]:
        """Read the drives and report each as it answers. Return the machine, all drives with their diagnoses,
        and findings about absent drives. Runs in a thread."""

        def answered(machine: Machine) -> None:
            drive = machine.drives[0]
            places = [str(use.by) for use in drive_rows.mounts_of(drive)]
            self._free.update((place, self.services.free_bytes(place)) for place in places)
            diagnosis = self.services.diagnose(machine, drive)

            def fill_in() -> None:
                self._around = replace(machine, drives=())
                if drive.path in self.desk.found:
                    self.desk.found[drive.path] = (drive, diagnosis)

            self.desk.post(self, fill_in)

        machine = self.services.probe(answered)
        # Other drives can affect findings.
        answers = {drive.path: (drive, self.services.diagnose(machine, drive)) for drive in machine.drives}
        return machine, answers, self.services.absent_at_boot(machine)

    def _probed(self, found: tuple[Machine, dict[str, tuple[Drive, Diagnosis]], tuple[Finding, ...]]) -> None:
        """Show all drives. Drops card readers without a medium."""
        machine, answers, absent = found
        self._around = replace(machine, drives=())
        self.desk.found = {path: answers[path] for path in self.desk.found if path in answers}
        self._absent = {drive_rows.absent_row(finding).key: finding for finding in absent}
        self._finish_asking()

    def _finish_asking(self) -> None:
        self._asking = False
        if self._again:
            self.read()

    def runs_changed(self) -> None:
        self.desk.touched = True
        if self.desk.screen is self:
            self.read()

    def drives_changed(self) -> None:
        """Remove unplugged drives and read new ones.

        Moves the cursor to a new drive unless the user has moved it, so that keys never reach the wrong
        drive.
        """
        before = self.desk.found
        self.read()
        now = self.desk.found
        come, gone = sorted(now.keys() - before.keys()), sorted(before.keys() - now.keys())
        others = sorted(path for path, found in now.items() if found is None and before.get(path))
        for paths, said in zip((others, gone, come), CHANGES, strict=True):
            if paths:
                self.tell(said(drives=tuple(map(ui.short, paths)), count=len(paths)))
        if come and not self._led:
            self.row = come[0]

    def _blocker(self, drive: Drive) -> ui.Text:
        return run_rows.blocker(self.desk.runs, drive)

    def _current(self, row: str) -> tuple[Drive, Diagnosis] | None:
        found = (one for one in self.desk.found.values() if one)
        return next((one for one in found if one[0].path == row or one[0].partition(row)), None)

    @property
    def _listed(self) -> dict[str, tuple[Drive, Diagnosis] | None]:
        found, around = self.desk.found, self._around
        if around is None:
            return found
        # The boot medium of a live system is not listed.
        return {path: one for path, one in found.items() if not (one and around.is_medium(one[0]))}

    def _is_gone(self, run: OpenRun) -> bool:
        here = any(run_rows.runs_on((run,), drive) for drive in self.desk.answered)
        return bool(run.why_not) and run.state != RunState.WAITING and not (self._asking or here)

    def _rows(self) -> ui.Listed:
        runs = tuple(run for run in self.desk.runs if not self._is_gone(run))
        for run in runs:
            alike = [one for one in runs if set(one.drives) & set(run.drives)]
            yield drive_rows.run_row(run, named=len(alike) > 1)
        if gone := len(self.desk.runs) - len(runs):
            said = tn(
                "1 failed run of an absent drive: `diskwright status`",
                "{count} failed runs of absent drives: `diskwright status`",
                count=gone,
            )
            yield ui.row("gone", "!", "", ui.muted(said), pinned=True)
        yield from map(drive_rows.absent_row, self._absent.values())
        for path, found in self._listed.items():
            if found is None:
                yield ui.row(path, ui.strong(ui.short(path)), ui.muted(READING))
                continue
            drive, diagnosis = found
            runs = run_rows.runs_on(self.desk.runs, drive)
            sources, row = self._drawn.get(path, ((), None))
            if row is None or sources[0] is not found or sources[1] != runs:
                row = drive_rows.drive_row(drive, diagnosis, runs)
                self._drawn[path] = (found, runs), row
            yield row
            if path in self._opened:
                yield from (drive_rows.partition_row(drive, part, runs) for part in drive.partitions)

    def _cursor(self, keys: Sequence[str]) -> str:
        listed = self._listed
        waiting = (f"run:{run.run}" for run in self.desk.runs if not self._is_gone(run))
        usable = (path for path, found in listed.items() if found and not self._blocker(found[0]))
        wanted = chain((self.row, self._named), waiting, usable, listed)
        return next((key for key in wanted if key in keys), "")

    def _about(self) -> ui.Text:
        services, count, who = self.services, len(self._listed), t("as root")
        if services.needs_root and (services.asks_for_root or services.apply_obstacle):
            who = t("not root")
        elif services.obstacle and not services.needs_root:
            who = t("recorded")
        return tn("{count} drive, {who}", "{count} drives, {who}", count=count, who=who)

    def _busy(self) -> bool:
        return self._asking

    def _said(self) -> ui.Piece | None:
        nothing = not self.at and not self._asking
        # After the first cursor movement, only show obstacles.
        return notice(self.services, self._around, self.desk.answered, nothing=nothing, brief=self._led)

    def _panes(self) -> ui.Panes:
        at = self.at
        if at in self._absent:
            finding = self._absent[at]
            yield ui.Pane(finding.subject, tuple(drive_rows.finding_paras((finding,))))
        elif found := self._current(at):
            drive, diagnosis = found
            device = "" if at == drive.path else at
            yield drive_rows.drive_pane(
                drive,
                diagnosis,
                can_ask=self.services.asks_for_root,
                device=device,
                free=self._free,
                runs=self.desk.runs,
            )
        elif at in self.desk.found:
            yield ui.Pane(ui.short(at), (ui.para(READING),))

    def _actions(self) -> ui.Actions:
        at = self.at
        found = self._current(at)
        if at.startswith("run:"):
            yield ui.Action("show-run", "enter", messages.SHOW)
        elif at in self._absent:
            yield ui.Action("why", "enter", messages.SHOW)
        elif found is not None:
            yield from self._of_drive(at, *found)
        if any("keep" in run.ways for run in self.desk.runs):
            yield ui.ending("keep", "K", messages.KEEP)
        if any("undo" in run.ways for run in self.desk.runs):
            yield ui.ending("undo", "U", messages.UNDO)
        if self.services.asks_for_root:
            yield ui.Action("as-root", "o", messages.READ_AS_ROOT)
        yield ui.aside("again", "r", messages.REFRESH)

    def _of_drive(self, at: str, drive: Drive, diagnosis: Diagnosis) -> ui.Actions:
        why_not = self._blocker(drive)
        ready = at == drive.path and drive.is_empty and not why_not
        if ready:
            yield ui.Action("set-up", "enter", messages.SET_UP)
        else:
            yield ui.Action("actions", "enter", t("actions"))
            yield ui.Action("set-up", "s", messages.SET_UP, why_not, aside=bool(why_not))
        if old_filesystems(drive, at):
            yield ui.Action("to-ext4", "m", t("to ext4"))
        if ready:
            yield ui.Action("actions", "a", t("actions"))
        if run_rows.runs_on(self.desk.runs, drive, at):
            yield ui.Action("show-run", "v", messages.SHOW)
        yield ui.Action("why", "w", messages.WHY)
        yield ui.Action("health", "i", messages.HEALTH)
        yield ui.aside("speed", "t", messages.SPEED)
        yield from run_rows.answers(self.services, self.desk.runs, at, drive, diagnosis)
        if drive.partitions and drive.path in self._opened:
            yield ui.Action("close", "left", t("fold"))
        elif drive.partitions:
            yield ui.Action("open", "right", t("partitions"))

    def moved(self, row: str) -> None:
        self.row, self._led = row, True

    act_again = read

    def act_open(self) -> None:
        self._opened.add(self.subject[0].path)

    def act_close(self) -> None:
        self.row = self.subject[0].path
        self._opened.discard(self.row)

    def act_set_up(self) -> None:
        session = self._select()
        if reason := self._blocker(session.drive):
            raise Refused(reason)
        if session.part or not session.specs:
            # Discard a plan for a single partition, and choices from a menu that was closed.
            session = replace(session, part=None, mode=None, specs=(), plan=None)
        self.desk.session = session
        from wizard.ui.screens.purpose import PurposeScreen

        self.open(PurposeScreen)

    def act_actions(self) -> None:
        from wizard.ui.screens.actions import Actions

        self._select()
        self.open(Actions, self.row)

    def act_to_ext4(self) -> None:
        from wizard.ui.screens.ways import open_ways

        self._select()
        open_ways(self.desk, self.row)

    # Dialogs and jobs are imported on use, so that the list of drives appears sooner.

    def act_why(self) -> None:
        from wizard.ui.components.reasons import finding_reason, finding_reasons
        from wizard.ui.dialogs.pages import Reasons

        if self.row in self._absent:
            finding = self._absent[self.row]
            self.open(Reasons, finding.subject, (finding_reason(finding),))
        else:
            drive, diagnosis = self.subject
            self.open(Reasons, ui.short(drive.path), finding_reasons(diagnosis))

    def act_move(self) -> None:
        session = self._select()
        if parts := run_rows.misaligned_found(session.drive, session.diagnosis, self.row):
            self.desk.open_moves(parts[0] if len(parts) == 1 else None)

    def act_nofail(self) -> None:
        drive, diagnosis = self.subject
        if device := run_rows.without_nofail(diagnosis, self.row):
            self._select()
            options = self.services.options_at_boot(drive, device) or ()
            self.work_out(device, SetOptions((*options, "nofail")))

    def act_shingled(self) -> None:
        from wizard.ui.dialogs.measuring import ShingledTest

        self.open(ShingledTest, self.subject[0])

    def act_show_run(self, way: str = "") -> None:
        from wizard.ui.screens.work import WorkScreen

        self.open(WorkScreen, self._meant(way).run, way)

    act_keep = partialmethod(act_show_run, "keep")
    act_undo = partialmethod(act_show_run, "undo")

    def _meant(self, way: str) -> OpenRun:
        """Return the run at the row, else on the drive, else the only one. Raises Refused if ambiguous."""
        row = self.row
        able = [run for run in self.desk.runs if not way or way in run.ways]
        if row.startswith("run:"):
            able = [run for run in able if f"run:{run.run}" == row]
        elif found := self._current(self.row):
            able = [*run_rows.runs_on(able, found[0], row)] or able
        if not able:
            raise Refused(t("No result to keep or undo."))
        if len(able) > 1:
            raise Refused(t("Several results are waiting. Select a row first."))
        return able[0]

    @property
    def subject(self) -> tuple[Drive, Diagnosis]:
        if found := self._current(self.row):
            return found
        raise Refused(t("No answer from this drive yet.") if self.desk.found else t("No drive here."))

    def _select(self) -> Session:
        drive, _ = self.subject
        if self._around is None:
            raise Refused(t("Still checking the kernel and the tools."))
        machine = replace(self._around, drives=self.desk.answered)
        diagnosis = self.services.diagnose(machine, drive)
        before = self.desk.selected
        if before and before.drive == drive:
            session = replace(before, machine=machine, diagnosis=diagnosis)
        else:
            session = Session(self.services, machine, drive, diagnosis)
        self.desk.session = session
        return session
