"""Screen 5: progress, then the result and the decision. The run continues without the screen."""

from collections.abc import Callable
from functools import partial, partialmethod
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.plan.run_summary import SETTLED
from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import Purpose
from wizard.apply.run.progress_log import either
from wizard.apply.run.runs import command_on, run_argument
from wizard.model.errors import DiskwrightError, why_not
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, Sentence, t
from wizard.plan.request.encryption import OPENED_TO_KEEP
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import run_rows
from wizard.ui.desk import Desk
from wizard.ui.dialogs import asking
from wizard.ui.jobs.in_place import job_of
from wizard.ui.jobs.job import AnyJob, RunOutcome
from wizard.ui.screens.copying import CopyScreen

HOME = t("drives")

LATEST = 6
WAYS = {
    Purpose.KEEP: (
        messages.KEEP,
        Sentence("Keep the result on {drives:and}?"),
        Sentence("Keep (K): {means}"),
    ),
    Purpose.UNDO: (
        messages.UNDO,
        Sentence("Undo the changes to {drives:and}?"),
        Sentence("Undo (U): {means}"),
    ),
}
"""Label, question and explanation of the ways to settle a run."""
STEP_STATES = {Event.STEP_STARTED: "begun", Event.STEP_FAILED: "failed", Event.STEP_DONE: "done"}


class WorkScreen(asking.JobScreen):
    """Progress of a run with steps and the effect of a power failure; then the result.

    `way`: `keep` or `undo`, started immediately. Without a job, read it from the run.
    """

    step = ui.ScreenStep.WORK
    help = (
        t("Keep uses the result and ends undo. Undo restores the old contents."),
        t("Each step is recorded before and after, in a journal on another drive."),
        t("Most work is rehearsed on a scratch copy first. The drive does not change until then."),
    )

    def __init__(self, desk: Desk, run: Path, way: str = "", job: AnyJob | None = None) -> None:
        super().__init__(desk)
        self.show(job or job_of(self.services, self.services.runs.document(run)))
        self.run = desk.run = run
        self._paths = [drive.path for drive in self.job.drives]
        self._entries: tuple[JournalEntry, ...] = ()
        self._progress = run_rows.RunProgress()
        self._state = RunState.RUNNING
        self._outcome: RunOutcome | None = None
        self._settling: Message | None = None
        self._commands = NextCommands()
        self._asked = Purpose(way) if way else None

    def entered(self) -> None:
        self.desk.touched = True
        if self._outcome is None and not self._progress.followed:
            self._follow()

    def _follow(self) -> None:
        self._progress = run_rows.RunProgress(followed=True)
        runs, run = self.services.runs, self.run

        def follow() -> tuple[RunState, NextCommands]:
            # The journal is read from the start.
            self.desk.post(self, lambda: setattr(self, "_entries", ()))
            for entry in runs.follow(run):
                if not self.desk.post(self, partial(self._note, entry)):
                    break
            return runs.state(run), runs.next_commands(run)

        def failed(error: DiskwrightError) -> None:
            self._progress, self._settling = run_rows.RunProgress(), None
            self.tell(t("{why} The run continues.", why=error), ui.Tone.DANGER)

        self.desk.later(self, follow, self._read, failed)

    def _note(self, entry: JournalEntry) -> None:
        self._entries = (*self._entries, entry)
        if entry.event is Event.STEP_STARTED:
            self._progress = self._progress.turned()

    def _read(self, ended: tuple[RunState, NextCommands]) -> None:
        (state, self._commands), self._settling = ended, None
        self._state = state
        self._progress = run_rows.RunProgress()
        outcome = self.job.outcome(self.run, state, self._entries, self._commands)
        if self._commands.why_not:
            # The state may offer actions that are no longer possible.
            said = (
                t("Written, but cannot be kept or undone now.")
                if state is RunState.WAITING
                else t("This run cannot be resumed or undone now.")
            )
            outcome = replace(outcome, banner=ui.Banner(said, tone=ui.Tone.WARN))
        self._outcome = outcome
        asked, self._asked = self._asked, None
        if asked:
            self._ask(asked)

    @property
    def _states(self) -> dict[int, str]:
        """The last state of each step. A resumed run repeats the failed step."""
        return {one.step: STEP_STATES[one.event] for one in self._entries if one.event in STEP_STATES}

    def view(self) -> ui.View:
        self.place = "result" if self._outcome else "work"
        return super().view()

    def _busy(self) -> bool:
        return not self._outcome

    def _above(self) -> ui.Blocks:
        if outcome := self._outcome:
            yield outcome.banner
            if self._is_used or self._state is RunState.WAITING:
                yield from (replace(bar, caption="") for bar in self.job.bars[1::2])
            if self.services.demo:
                yield ui.para(t("This was the demo. The drive disappears when the wizard ends."))
            return
        states = self._states
        done = sum(state == "done" for state in states.values())
        working = max((step for step, state in states.items() if state == "begun"), default=None)
        status = self.services.runs.status(self.run)
        self._progress = self._progress.looked(status.progress, self.services.traffic(self._paths))
        if self._settling is None and (working or 0 < done < len(self.job.sentences)):
            yield self._progress.in_steps(self.job.seconds, done, working or done + 1)
        else:
            what = self._settling or run_rows.doing(status.phase, done=bool(done))
            yield self._progress.around_steps(what)
        yield ui.GAP
        told = status.power
        power = self.job.power(told, working)
        # The run's own message is a complete sentence.
        if power == told and told:
            yield ui.heading(told, hang=2)
        else:
            unknown = t("The current step may be left half done. Afterwards, start diskwright again.")
            yield ui.warning(t("After a power cut now:"), ui.strong(power or unknown))

    def _panes(self) -> ui.Panes:
        if not (outcome := self._outcome):
            yield ui.Pane(t("Steps"), tuple(self._steps()))
            latest = [entry.sentence for entry in self._entries if entry.sentence][-LATEST:]
            yield ui.Pane(t("Latest"), tuple(ui.para(one, hang=2) for one in latest))
            return
        if self._commands.names:
            yield ui.Pane(t("Next"), tuple(self._choices(outcome)))
        elif why := self._commands.why_not:
            yield ui.Pane(t("Next"), (ui.alarm(why),))
        checks = run_rows.checks_of(self._entries)
        if checks and self._state is not RunState.UNDONE:
            complete = self._is_used or self._state is RunState.WAITING
            yield run_rows.checks_pane(checks, self.job.checked if complete else "")
        title: ui.Text = "" if self._state in SETTLED else t("Steps")
        if self._is_used and not self._commands.names:
            title = t("Next")
        yield ui.Pane(title, tuple(self._next(outcome)))

    def _choices(self, outcome: RunOutcome) -> ui.Blocks:
        for way in outcome.ways:
            *_, said = WAYS[way]
            yield ui.para(said(means=self._means(way)), hang=2)
        if "resume" in self._commands.names:
            yield ui.para(t("Go on (G): continue at the step that stopped."), hang=2)
        if self.services.needs_root and not self.services.demo:
            commands = either(command_on(word, self.run) for word in self._commands.names)
            yield ui.label(t("Later: {commands}", commands=commands))

    def _steps(self) -> ui.Blocks:
        states = self._states
        for number, sentence in enumerate(self.job.sentences, 1):
            yield run_rows.step_para(number, sentence, states.get(number, ""))

    def _actions(self) -> ui.Actions:
        if not (outcome := self._outcome):
            if not self._settling:
                yield ui.Action("leave", "b", t("leave running"))
                yield ui.ending("stop", "S", messages.STOP)
            yield ui.Action("commands", "v", messages.COMMANDS)
            return
        yield ui.Action("home", "enter", t("decide later") if self._commands.names else HOME)
        for way in outcome.ways:
            yield ui.ending(way.value, "K" if way is Purpose.KEEP else "U", WAYS[way][0])
        if "resume" in self._commands.names:
            yield ui.Action("resume", "G", messages.RESUME)
        if self._is_used and self.job.places:
            yield ui.Action("bring", "y", messages.COPY_HERE, self.services.obstacle)
        yield ui.Action("report", "s", t("save report"))
        yield ui.aside("commands", "v", messages.COMMANDS)
        yield ui.aside("home", "escape", HOME)

    @property
    def _is_used(self) -> bool:
        return self._state in (RunState.DONE, RunState.KEPT)

    def _next(self, outcome: RunOutcome) -> ui.Blocks:
        if self._state not in SETTLED:
            yield from (*self._steps(), ui.GAP)
            failed = (one for one in self._entries if one.event in (Event.FAILED, Event.REFUSED))
            yield from (ui.alarm(one.sentence, hang=2) for one in failed)
        elif self._state is RunState.UNDONE:
            told = str(outcome.banner.text)
            ends = (one for one in self._entries if one.event is Event.UNDONE and one.sentence != told)
            yield from (ui.para(one.sentence, hang=2) for one in ends)
        if not self._commands.why_not:
            yield from (ui.para(more, hang=2) for more in outcome.more)
        if self.services.needs_root and self._state in (
            RunState.FAILED,
            RunState.STOPPED,
            RunState.INTERRUPTED,
        ):
            yield ui.para(t("As root: sudo diskwright resume {run}", run=run_argument(self.run)), hang=2)
        if self._is_used and self.job.places:
            yield ui.para(t("From another drive or folder:"), hang=2, key="bring")
        yield ui.label(t("Journal: {folder}", folder=str(self.run)), hang=2)

    def act_leave(self) -> None:
        self.desk.read_again()
        self.desk.screen.tell(
            t("The run continues without this window. To see it as root: sudo diskwright status")
            if self.services.needs_root
            else asking.CONTINUES
        )

    def act_home(self) -> None:
        self.desk.read_again()

    def act_stop(self) -> None:
        def stop() -> None:
            self.services.runs.request_stop(self.run)
            self.warn(t("Stopping as soon as it is safe."))

        means = self.job.stop_means()
        self.open(asking.question, messages.FIRST(what=messages.STOP), means, messages.STOP, stop, ends=True)

    def _ask(self, way: Purpose) -> None:
        """Ask for confirmation of keep or undo, if the action works."""
        if self._outcome is None or way not in self._outcome.ways:
            return

        def read(values: ui.Values) -> Callable[[], None]:
            secret = values["secret"].encode("utf-8", "surrogateescape")
            return lambda: self._settle(way, secret) if secret else None

        def yes() -> None:
            if way is Purpose.KEEP and self.job.takes_passphrase:
                title = messages.PASSPHRASE
                fields = (ui.Field("secret", title, secret=True),)
                blocks = (ui.para(OPENED_TO_KEEP),)
                self.open(asking.Dialog, title, blocks, fields, read, messages.RESUME)
            else:
                self._settle(way)

        label, question, _ = WAYS[way]
        title = question(drives=self.job.changed)
        self.open(asking.question, title, self._means(way), label, yes, ends=True)

    def _means(self, way: Purpose) -> ui.Text:
        return self.job.keep_means if way is Purpose.KEEP else self.job.undo_means

    act_keep = partialmethod(_ask, Purpose.KEEP)
    act_undo = partialmethod(_ask, Purpose.UNDO)

    def _settle(self, way: Purpose, secret: bytes | None = None) -> None:
        runs, run, keeps = self.services.runs, self.run, way is Purpose.KEEP
        self._outcome, self._settling = None, t("Keeping the result") if keeps else messages.UNDOING
        self._progress = run_rows.RunProgress(followed=True, over=runs.status(run).progress)

        def settled(fault: str) -> None:
            # The banner reports success.
            self.tell(fault, ui.Tone.DANGER)
            self._follow()

        def work() -> str:
            return why_not(runs.keep, run, secret) if keeps else why_not(runs.undo, run)

        self.desk.later(self, work, settled, lambda error: settled(str(error)), finishes=True)

    def act_resume(self) -> None:
        """Resume the run.

        Ask for the token if drives will still be overwritten, and for a passphrase if needed.
        """
        over, secret = self.services.runs.writes_over(self.run), self.services.runs.wants_secret(self.run)
        if not over and not secret:
            self._resume(None)
            return
        said = (
            Sentence("If run {run} continues, it writes to {drives:list} again. No file is lost.")
            if self.job.keeps_all
            else Sentence("Continuing run {run} overwrites the content of {drives:list}.")
        )
        text = said(run=self.run.name, drives=tuple(map(ui.short, self._paths)))
        drives, blocks = (self.job.drives, (ui.para(text),)) if over else ((), ())
        title, label = messages.FIRST(what=messages.RESUME), messages.RESUME
        asking.ask_tokens(self.desk, drives, title, blocks, self._resume, label, secret=secret)

    def _resume(self, secret: bytes | None) -> None:
        self.services.runs.resume(self.run, secret)
        self._outcome = None
        self._follow()

    def act_bring(self) -> None:
        self.open(CopyScreen, self.job.places)

    def act_report(self) -> None:
        page = self.services.report(self.run)
        asking.save(self.desk, t("the report"), page, f"{self.run.name}-report.html")
