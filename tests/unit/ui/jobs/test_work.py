"""Work and result: the journal as text, the effect of a power cut, keep and undo after a question, and the
exit code."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import situation
from tests.unit.machines import drive
from tests.unit.plan.layouts import plan_for, spec
from tests.unit.ui.live import MEDIA, RUN, Live, begun, entry
from tests.unit.ui.person import Person
from wizard.apply.engine.record import Phase, power_sentence
from wizard.apply.local_runs import OpenRun
from wizard.apply.run.job import NOT_YET, NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import Purpose
from wizard.apply.run.progress_log import StepProgress
from wizard.ext4.document import make_migration
from wizard.model.errors import ExitCode, Failed
from wizard.model.run import Event, JournalEntry
from wizard.plan.changes import Way
from wizard.ui.components.run_rows import RunProgress, doing
from wizard.ui.jobs.in_place import MigrationJob
from wizard.ui.view import Progress, Tone

SECRET = "four words, or more"


def waiting(*, encrypted: bool = False, known: bool = True) -> Live:
    """Return services with a completed, waiting run, listed before the start if `known`."""
    services = Live()
    services.ends = RunState.WAITING
    services.journal = [entry(Event.STARTED, "Applying."), entry(Event.WAITING, "Done, not yet in use.")]
    services.plan_begun = plan_for(drive(), replace(spec("ext4"), encrypted=encrypted))
    services.opens = (OpenRun(RUN, "waiting", ("/dev/sda",), ("keep", "undo")),)
    services.open = services.opens if known else ()
    return services


class AtWork(Live):
    """Services whose run pauses in its first step until `go`."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.reached = threading.Event(), threading.Event()
        self.told = ""
        self.person = Person(self)

    def follow(self, run: Path) -> Iterator[JournalEntry]:
        yield entry(Event.STARTED, "Applying.")
        yield entry(Event.STEP_STARTED, "Write a new GPT.", 1)
        self.reached.set()
        assert self.go.wait(30)

    def power(self, run: Path) -> str:
        return self.told


def at_work() -> AtWork:
    """Return services with a person at the work screen, in the first step."""
    services = AtWork()
    person = services.person
    person.act("set-up", "/dev/sda")
    person.act("plan", MEDIA)
    person.act("review")
    person.desk.act("apply", "", {"token0": "S1"})
    assert services.reached.wait(30)
    assert person.view.place == "work"
    return services


def test_journal_shows_every_state_in_words() -> None:
    services = Live()
    services.ends = RunState.FAILED
    services.journal = [
        entry(Event.STARTED, "Applying 5 steps to /dev/sda."),
        entry(Event.STEP_STARTED, "Write a new GPT.", 1),
        entry(Event.STEP_DONE, "Disk and kernel have exactly the planned table.", 1),
        entry(Event.STEP_STARTED, "Make the filesystem.", 2),
        entry(Event.STEP_FAILED, "mkfs ended with status 5.", 2),
        entry(Event.NOT_VERIFIED, "The table is as planned", 0, "another one\x1b[31m"),
        entry(Event.FAILED, "Step 2 failed."),
    ]
    person = begun(services)
    text = person.text
    assert person.view.place == "result"
    assert "[x] 1." in text and "[!] 2." in text and "[ ] 3." in text
    assert "Step 2 failed." in text and "got: another one?[31m" in text
    assert person.desk.exit_code() is ExitCode.FAILED
    # A resumed run repeats the step.
    services.journal.append(entry(Event.STEP_STARTED, "Make the filesystem.", 2))
    assert "[!] 2." not in begun(services).text


@pytest.mark.parametrize(
    ("holding", "said"),
    [
        (0, "Passed: 0 of 1"),
        (1, "Check passed"),
    ],
)
def test_check_is_reported_as_passed_only_if_it_passed(holding: int, said: str) -> None:
    services = Live()
    services.journal = [entry(Event.VERIFIED if holding else Event.NOT_VERIFIED, "The table is as planned")]
    assert said in begun(services).text


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED])
def test_unfinished_run_can_be_resumed(state: RunState) -> None:
    services = Live()
    services.ends = state
    services.journal = [entry(Event.STEP_STARTED, "Write.", 1), entry(Event.STEP_FAILED, "No.", 1)]
    person = begun(services)
    person.act("resume")
    assert services.seen.resumed == 1 and person.desk.exit_code() is ExitCode.DONE


def test_unfinished_run_is_undone_from_the_first_screen() -> None:
    services = waiting()
    services.ends = RunState.INTERRUPTED
    services.open = (OpenRun(RUN, "interrupted", ("/dev/sda",), ("resume", "undo")),)
    person = Person(services)
    person.key("U")
    assert person.view.place == "question", person.view.place


def test_waiting_run_is_kept_after_a_question() -> None:
    services = waiting(known=False)
    person = begun(services)
    assert "not in use yet" in person.text
    person.key("K")
    assert person.view.place == "question" and "Undo is then no longer possible." in person.text
    assert not services.seen.settled
    person.key("y")
    assert services.seen.settled == [("keep", None)]
    assert person.view.action("keep") is None and person.view.action("undo") is None
    assert "ready at /srv/media" in person.text


def test_waiting_run_is_undone_after_a_question() -> None:
    services = waiting(known=False)
    person = begun(services)
    person.key("U")
    assert "restored bit for bit" in person.text
    person.key("y")
    assert services.seen.settled == [("undo", None)] and services.ends is RunState.UNDONE
    assert person.view.action("undo") is None and person.desk.exit_code() is ExitCode.DONE


@pytest.mark.parametrize("key", ["K", "U"])
@pytest.mark.parametrize("answer", ["enter", "escape", "n"])
def test_no_is_the_default_and_the_decision_can_wait(key: str, answer: str) -> None:
    services = waiting(known=False)
    person = begun(services)
    person.key(key)
    person.key(answer)
    assert services.ends is RunState.WAITING and person.view.place == "result"
    assert person.desk.exit_code() is ExitCode.DONE
    services.open = (OpenRun(RUN, "waiting", ("/dev/sda",), ("keep", "undo")),)
    assert any("diskwright keep" in line for line in person.desk.farewell())


@pytest.mark.parametrize("key", ["K", "U"])
def test_waiting_run_is_decided_from_the_first_screen(key: str) -> None:
    services = waiting()
    person = Person(services)
    assert person.rows[0].key == f"run:{RUN}"
    assert person.view.rows is not None and person.view.rows.at == f"run:{RUN}"
    person.key(key)
    assert person.view.place == "question" and not services.seen.settled
    person.key("y")
    assert [way for way, _ in services.seen.settled] == [{"K": "keep", "U": "undo"}[key]]


def test_failed_undo_gives_the_reason_and_the_run_still_waits() -> None:
    services = waiting(known=False)
    person = begun(services)
    services.fault = Failed("It was written to since.")
    person.key("U")
    person.key("y")
    assert person.said == "It was written to since." and person.view.said is not None
    assert person.view.said.tone is Tone.DANGER
    assert services.ends is RunState.WAITING and person.view.action("undo") is not None


@pytest.mark.parametrize("encrypted", [True, False])
@pytest.mark.parametrize("typed", [SECRET, ""])
def test_passphrase_is_asked_for_encrypted_volumes(encrypted: bool, typed: str) -> None:
    services = waiting(encrypted=encrypted)
    person = Person(services)
    person.key("K")
    person.key("y")
    if encrypted:
        assert person.view.place == "typing" and "opens the encrypted volume" in person.text
        assert [field.secret for field in person.view.fields] == [True]
        person.act("take", secret=typed)
    assert SECRET not in person.text
    kept = not encrypted or bool(typed)
    assert services.seen.settled == ([("keep", SECRET.encode() if encrypted else None)] if kept else [])


def test_stopping_asks_first() -> None:
    services = at_work()
    person = services.person
    person.desk.act("stop")
    assert person.view.place == "question" and services.seen.stopped < 1
    person.desk.act("back")
    assert services.seen.stopped < 1
    person.desk.act("stop")
    person.desk.act("yes")
    assert services.seen.stopped == 1 and person.said == "Stopping as soon as it is safe."
    services.go.set()
    person.wait()


def test_run_left_in_the_background_is_first_on_the_first_screen() -> None:
    services = at_work()
    person = services.person
    services.open = (OpenRun(RUN, "running", ("/dev/sda",)),)
    person.desk.act("leave")
    services.go.set()
    person.wait()
    assert person.view.place == "drives" and person.rows[0].key == f"run:{RUN}"
    assert "Being changed now" in person.text
    person.desk.moved(f"run:{RUN}")
    person.act("show-run")
    assert person.view.place == "result"


def test_effect_of_a_power_cut_is_shown_during_the_run() -> None:
    services = at_work()
    for phase in (Phase.REHEARSING, Phase.HIDDEN):
        services.told = power_sentence(phase, "/dev/sda")
        assert services.told in services.person.text
    services.told = ""
    assert "may be left half done" in services.person.text
    services.go.set()
    services.person.wait()


def test_progress_counts_the_steps() -> None:
    services = at_work()
    (progress,) = [block for block in services.person.view.above if isinstance(block, Progress)]
    assert progress.share is not None and 0 <= progress.share < 1
    assert "step 1 of" in str(progress.said)
    assert services.person.view.busy
    services.go.set()
    services.person.wait()
    assert not services.person.view.busy


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (RunState.DONE, ExitCode.DONE),
        (RunState.RUNNING, ExitCode.DONE),
        (RunState.WAITING, ExitCode.DONE),
        (RunState.STOPPED, ExitCode.INTERRUPTED),
        (RunState.INTERRUPTED, ExitCode.INTERRUPTED),
        (RunState.REFUSED, ExitCode.REFUSED),
        (RunState.FAILED, ExitCode.FAILED),
    ],
)
def test_exit_codes_follow_the_run(state: RunState, code: ExitCode) -> None:
    services = Live()
    services.ends = state
    assert begun(services).desk.exit_code() is code


def test_quitting_during_a_run_reports_that_it_continues() -> None:
    services = at_work()
    person = services.person
    services.ends = RunState.RUNNING
    person.desk.act("quit")
    assert person.view.place == "question" and "continues without this window" in person.text
    person.desk.act("back")
    assert person.view.place == "work" and not person.desk.over
    person.desk.act("quit")
    person.desk.act("yes")
    assert person.desk.over
    services.open = (OpenRun(RUN, "running", ("/dev/sda",)),)
    assert any("diskwright status" in line for line in person.desk.farewell())
    services.go.set()


def test_resuming_an_encrypting_run_asks_the_passphrase_twice() -> None:
    services = Live()
    services.ends = RunState.STOPPED
    person = begun(services)
    services.plan_begun = plan_for(drive(), replace(spec("ext4"), encrypted=True))
    person.act("resume")
    assert [field.key for field in person.view.fields if field.secret] == ["passphrase", "again"]
    person.act("take", passphrase=SECRET, again="another")
    assert "same passphrase twice" in person.said and services.seen.secrets[-1:] != [SECRET.encode()]
    person.act("take", passphrase=SECRET, again=SECRET)
    assert services.seen.secrets[-1] == SECRET.encode()


@pytest.mark.parametrize(
    ("state", "commands", "used", "offered"),
    [
        (RunState.STOPPED, ("undo",), "", [Purpose.UNDO]),
        (RunState.FAILED, (), "It was mounted for writing.", []),
        (RunState.DONE, ("keep", "undo"), "", [Purpose.KEEP, Purpose.UNDO]),
        (RunState.DONE, ("keep",), "It was mounted for writing.", [Purpose.KEEP]),
        (RunState.DONE, (), "", [Purpose.UNDO]),
    ],
)
def test_conversion_offers_only_possible_actions(
    state: RunState,
    commands: tuple[str, ...],
    used: str,
    offered: list[Purpose],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Live, "closed", lambda _services, _run: used)
    job = MigrationJob(Live(), make_migration(situation(), Way.FULL, manifest=False))
    entries = [entry(Event.STEP_STARTED, "Converting.", 1)]
    outcome = job.outcome(RUN, state, entries, NextCommands(commands))
    assert [*outcome.ways] == offered
    assert (outcome.banner.text == NOT_YET) is (len(offered) == 2)


class Pausing(Live):
    """Services whose keep or undo pauses until `go`; `told` is the progress."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.reached = threading.Event(), threading.Event()
        self.told: StepProgress | None = StepProgress(0, 0.99)
        self.moved = 0

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        self.reached.set()
        assert self.go.wait(30)
        return super().keep(run, secret)

    def undo(self, run: Path) -> None:
        self.reached.set()
        assert self.go.wait(30)
        super().undo(run)

    def progress(self, run: Path) -> StepProgress | None:
        return self.told

    def traffic(self, paths: Sequence[str]) -> int:
        self.moved += 10**6
        return self.moved


@pytest.mark.parametrize(("key", "said"), [("K", "Keeping the result"), ("U", "Undoing the changes")])
def test_keep_and_undo_show_their_progress(key: str, said: str) -> None:
    """The old progress of writing must not appear."""
    services = Pausing()
    services.ends = RunState.WAITING
    services.journal = [entry(Event.STARTED, "Applying."), entry(Event.WAITING, "Done, not yet in use.")]
    person = begun(services)
    person.key(key)
    person.desk.act("yes")
    assert services.reached.wait(30)
    (before,) = [block for block in person.view.above if isinstance(block, Progress)]
    assert before.share is None and str(before.said) == f"{said} ..."
    services.told = StepProgress(0, 0.25, 90.0)
    until = time.monotonic() + 20
    while "25 %" not in person.text and time.monotonic() < until:
        time.sleep(0.05)
    (bar,) = [block for block in person.view.above if isinstance(block, Progress)]
    assert bar.share == 0.25 and str(bar.said).startswith(f"{said}: 25 %, about ")
    assert bar.rates
    services.go.set()
    person.wait()


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (Phase.REHEARSING, "Saving old contents"),
        (Phase.REPLACING, "Writing and verifying"),
        (Phase.RELEASING, "Finishing and checking"),
        (Phase.REPLACING_BACK, "Undoing the changes"),
        (None, "Finishing and checking"),
    ],
)
def test_bar_after_the_last_step_shows_the_current_work(phase: Phase | None, said: str) -> None:
    last, now = StepProgress(0, 0.9, 1.0), StepProgress(0, 0.5, 600.0)
    standing = RunProgress(progress=last).turned()
    assert replace(standing, progress=last).around_steps(doing(phase, done=True)).share is None
    bar = replace(standing, progress=now).around_steps(doing(phase, done=True))
    assert bar.share == 0.5 and str(bar.said) == f"{said}: 50 %, about 10 min left"


def test_quitting_names_every_open_run_most_important_first() -> None:
    services = Live()
    person = Person(services)
    assert person.desk.farewell() == ()
    runs = Path("/var/lib/diskwright/runs")
    services.open = (
        OpenRun(runs / "0001-sda", "running", ("/dev/sda",)),
        OpenRun(runs / "0002-sdb", "waiting", ("/dev/sdb",), ("keep", "undo")),
        OpenRun(runs / "0003-sdc", "interrupted", ("/dev/sdc",), ("resume", "undo")),
    )
    assert person.desk.farewell() == (
        "The run 0003-sdc is unfinished: sudo diskwright resume 0003-sdc, or sudo diskwright undo 0003-sdc",
        "The run 0002-sdb is done, not in use yet: sudo diskwright keep 0002-sdb, or sudo diskwright undo "
        "0002-sdb",
        "The run continues in the background; `diskwright status 0001-sda` shows the progress.",
    )
    services.open += tuple(OpenRun(runs / f"000{at}-sdx", "running", ("/dev/sdx",)) for at in range(4, 8))
    assert person.desk.farewell()[4:] == ("3 more runs: see `diskwright status`.",)


def test_report_is_saved_from_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = waiting(known=False)
    monkeypatch.setattr(services, "report", lambda run: f"the page of {run.name}")
    person = begun(services)
    person.act("report")
    person.act("take", file=str(tmp_path / "report.html"))
    assert (tmp_path / "report.html").read_text() == f"the page of {RUN.name}"


def test_report_that_cannot_be_rendered_gives_the_command() -> None:
    person = begun(waiting(known=False))
    person.act("report")
    assert person.view.place == "result" and f"diskwright report {RUN}" in person.said
