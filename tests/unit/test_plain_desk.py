"""The line-by-line wizard where the desk has something to do: root that is asked for, drives that go,
measuring, and a run's journal."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.unit.conversation import converse_with, number_of
from tests.unit.machines import drive, machine, partition, partitioned
from wizard.apply.engine.record import POWER, Phase
from wizard.apply.run.journal import RunState
from wizard.model.errors import ExitCode, Failed, Refused
from wizard.model.journal import Entry, Event
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.model.verdict import Outcome, Pair, Ratio, Verdict
from wizard.services.recorded import RecordedServices
from wizard.trial.alignment import Progress


@dataclass
class Seen:
    """What the desk was asked to do."""

    roots: int = 0
    started: list[str] = field(default_factory=list)
    stopped: int = 0


class Desk(RecordedServices):
    """A desk that pretends to be live. `unread` is what a plain user sees of the machine."""

    obstacle = ""
    apply_obstacle = ""

    def __init__(self, known: Machine, *, unread: Machine | None = None, gives_root: bool = True) -> None:
        super().__init__(known, "a test", lambda: "11111111-2222-4333-8444-555555555555")
        self.seen, self.known, self.gives_root = Seen(), known, gives_root
        self.rootless = unread is not None
        self.machine = unread or known
        self.attached: Callable[[Drive], bool] = lambda _: True
        self.journal: list[Entry] = []
        self.ends = RunState.DONE
        self.fault: BaseException | None = None
        self.interrupts = 0

    @property
    def asks_for_root(self) -> bool:
        return self.rootless

    def obtain_root(self) -> None:
        if not self.asks_for_root:
            return
        self.seen.roots += 1
        if not self.gives_root:
            raise Refused("Root was not given. Nothing was written.")
        self.rootless, self.machine = False, self.known

    def is_attached(self, drive: Drive) -> bool:
        return self.attached(drive)

    def start(self, plan: Plan, tokens: Sequence[str], secret: bytes | None = None) -> Path:
        assert not self.asks_for_root
        self.seen.started.extend(tokens)
        if self.fault:
            raise self.fault
        return Path("/nowhere/20261121-000000-sda")

    def follow(self, run: Path, meanwhile: Callable[[], None] | None = None) -> Iterator[Entry]:
        yield from self.journal
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt

    def state(self, run: Path) -> RunState:
        return self.ends

    def keep(self, run: Path, secret: bytes | None = None) -> str:
        self.ends = RunState.KEPT
        self.journal.append(entry(Event.VERIFIED, "It is mounted"))
        return "It is mounted."

    def undo(self, run: Path) -> None:
        if self.fault:
            raise self.fault
        self.ends = RunState.UNDONE

    def request_stop(self, run: Path) -> None:
        self.seen.stopped += 1

    def measure(
        self,
        drive: Drive,
        *,
        write: bool,
        physical_bytes: int | None,
        on_progress: Callable[[Progress], None],
        stop: Callable[[], bool],
    ) -> Verdict:
        for pairs in range(300):
            on_progress(
                Progress(
                    pairs=pairs,
                    planned_pairs=None,
                    seconds_left=30.0 - pairs / 10,
                    estimate=1.8 if pairs > 100 else None,
                )
            )
        ratio = Ratio(1.8, 1.6, 2.0, 0.95, 300)
        return Verdict(
            drive.path,
            "write" if write else "read",
            Outcome.ALIGNED_FASTER,
            ratio,
            "Aligned is 1.8x faster (1.6-2.0, 95 %).",
            ("It is a test.",),
            4096,
            512,
            30.0,
            (Pair(100_000, 180_000),) * 3,
        )


def entry(event: Event, sentence: str, step: int = 0, output: str = "") -> Entry:
    return Entry("2026-11-21T00:00:00+00:00", event, step, sentence, (), output)


def media(desk: Desk) -> list[str]:
    """The only drive, for large media files, as advised, and on to the question of measuring."""
    return ["", number_of(desk, "large-media"), "", "", ""]


def closed() -> Machine:
    """A drive of which a plain user sees only what sysfs tells."""
    return machine(drive(table=None, content_digest=None, free=()), root=False)


def test_what_could_not_be_read_is_read_as_root_before_anything_is_applied() -> None:
    desk = Desk(machine(), unread=closed())
    told = converse_with(desk, ["", number_of(desk, "large-media"), "", "1", "", "", "", "2"])
    first, _, second = told.flat.partition("Ask for root's rights and read the drives again.")
    assert "Holds not read." in first and "You are not root" in first
    assert "Step 1 of 9: Drives" in second and "Holds nothing: no table" in second
    assert desk.seen == Seen(roots=1)


def test_without_root_the_plan_can_still_be_kept(tmp_path: Path) -> None:
    desk = Desk(machine(), unread=closed(), gives_root=False)
    kept = tmp_path / "kept.json"
    told = converse_with(desk, ["", number_of(desk, "large-media"), "", "1", "", "", "", "2", "3", str(kept)])
    assert "Root was not given. Nothing was written." in told.flat
    assert kept.exists() and desk.seen == Seen(roots=1)


def test_root_is_asked_for_after_the_token_and_not_before() -> None:
    desk = Desk(machine(), unread=machine(root=False))
    told = converse_with(desk, [*media(desk), "", "wrong"])
    assert "When the token is typed, root's rights are asked for" in told.flat and desk.seen == Seen()
    told = converse_with(desk, [*media(desk), "", "S1"])
    assert desk.seen == Seen(roots=1, started=["S1"])
    assert told.code is ExitCode.DONE


def test_a_root_that_is_not_given_begins_nothing_and_asks_again() -> None:
    desk = Desk(machine(), unread=machine(root=False), gives_root=False)
    told = converse_with(desk, [*media(desk), "", "S1", ""])
    assert "Root was not given." in told.flat and desk.seen == Seen(roots=1)
    assert "Step 6 of 9" in told.after("Root was not given.")


def test_only_the_token_itself_begins() -> None:
    desk = Desk(machine())
    for answer in ("", "y", "yes", "1", "s1", "S1 S1", "b"):
        told = converse_with(desk, [*media(desk), "", answer])
        assert desk.seen == Seen(), answer
        assert told.code is ExitCode.ENDED_BY_USER


def test_a_token_that_is_also_a_word_is_a_token() -> None:
    desk = Desk(machine(drive(serial="q")))
    converse_with(desk, [*media(desk), "", "q"])
    assert desk.seen.started == ["q"]


def test_a_drive_that_goes_leads_back_to_the_list_and_keeps_the_purpose() -> None:
    desk = Desk(machine())
    number = number_of(desk, "large-media")
    looks: list[Drive] = []

    def attached(one: Drive) -> bool:
        looks.append(one)
        return len(looks) != 3

    desk.attached = attached
    told = converse_with(desk, ["", number, "", "", ""])
    after = told.after("/dev/sda (Example HDD 500) is not attached any more, so it cannot be set up now.")
    assert "Step 1 of 9: Drives" in after
    assert f"An empty line means {number}." in after.partition("What will the drive mostly hold?")[2]


def test_measuring_says_how_far_it_is_in_tenths_and_then_the_verdict_in_words(tmp_path: Path) -> None:
    desk = Desk(machine())
    kept = tmp_path / "verdict.json"
    told = converse_with(desk, [*media(desk), "2", "5", str(kept), "e", ""])
    tenths = [line for line in told.lines if "percent of the time used" in line]
    assert [line.split()[0] for line in tenths] == [str(10 * tenth) for tenth in range(1, 10)]
    assert "Aligned is 1.8x faster (1.6-2.0, 95 %)." in told.text
    assert "an aligned access took 100.0 microseconds, a misaligned one 180.0." in told.flat
    assert kept.exists()
    reasons = told.after(
        "Measured in pairs of 4096 bytes, one on a block's boundary and one 512 bytes beside it."
    )
    assert "1.80, and in 95 of 100 such measurements between 1.60 and 2.00." in reasons
    assert "What others measured on misaligned partitions: Evidence: " in reasons


def test_measuring_by_writing_needs_the_token() -> None:
    desk = Desk(machine())
    refused = converse_with(desk, [*media(desk), "4", "no", ""])
    assert "percent of the time" not in refused.text
    allowed = converse_with(desk, [*media(desk), "4", "S1", ""])
    assert "90 percent of the time used" in allowed.text


def test_the_journal_is_told_line_by_line_with_every_state_in_words() -> None:
    desk = Desk(machine())
    desk.ends = RunState.FAILED
    desk.journal = [
        entry(Event.STARTED, "Applying 5 steps to /dev/sda."),
        entry(Event.STEP_STARTED, "Write a new GPT.", 1),
        entry(Event.STEP_DONE, "Disk and kernel have exactly the planned table.", 1),
        entry(Event.STEP_STARTED, "Make the filesystem.", 2),
        entry(Event.STEP_FAILED, "mkfs ended with status 5.", 2),
        entry(Event.NOT_VERIFIED, "The table is as planned", 0, "another one\x1b[31m"),
        entry(Event.FAILED, "Step 2 failed."),
    ]
    told = converse_with(desk, [*media(desk), "", "S1"])
    assert "(0 percent of the steps are done): Write a new GPT." in told.flat
    assert "Does not hold: The table is as planned. Seen: another one?[31m." in told.flat
    result = told.after("Step 9 of 9: Result")
    assert "Done: step 1, " in result and "Not done: step 2, " in result
    assert "Checked afterwards: 0 of 1 hold." in result
    assert "sudo diskwright resume /nowhere/20261121-000000-sda" in result
    assert told.code is ExitCode.FAILED


@pytest.mark.parametrize("fault", [Failed("Root's end has gone."), KeyboardInterrupt()])
def test_where_it_is_not_known_whether_the_run_began_nothing_else_is_claimed(fault: BaseException) -> None:
    desk = Desk(machine())
    desk.fault = fault
    told = converse_with(desk, [*media(desk), "", "S1", ""])
    end = told.after("then beginning ...")
    assert "Whether the run has begun is not known here; diskwright status tells." in end
    assert "Nothing has been written" not in end
    assert told.code is ExitCode.ENDED_BY_USER


def test_what_a_power_cut_would_leave_is_told_whenever_it_changes() -> None:
    powers = ["", POWER[Phase.REHEARSING], POWER[Phase.REHEARSING], POWER[Phase.BARRED]]

    class Telling(Desk):
        def power(self, run: Path) -> str:
            return powers.pop(0) if powers else ""

    desk = Telling(machine())
    desk.journal = [entry(Event.STARTED, "Applying."), *(entry(Event.SAVED, f"{at}.") for at in range(4))]
    told = converse_with(desk, [*media(desk), "", "S1"]).flat
    for sentence in (POWER[Phase.REHEARSING], POWER[Phase.BARRED]):
        assert told.count(sentence) == 1


def test_ctrl_c_while_applying_goes_on_stops_or_leaves() -> None:
    desk = Desk(machine())
    desk.journal = [entry(Event.STARTED, "Applying."), entry(Event.STEP_STARTED, "Write a new GPT.", 1)]
    desk.interrupts = 2
    told = converse_with(desk, [*media(desk), "", "S1", "", "2"])
    assert desk.seen.stopped == 1 and "Step 9 of 9" in told.text
    assert told.flat.count("): Write a new GPT.") == 1
    desk.interrupts = 1
    told = converse_with(desk, [*media(desk), "", "S1", "3"])
    assert "Step 9 of 9" not in told.text
    assert told.flat.endswith(
        "It goes on without this conversation, and diskwright status tells how it goes."
    )


def waiting() -> Desk:
    desk = Desk(machine())
    desk.ends = RunState.WAITING
    desk.journal = [entry(Event.STARTED, "Applying."), entry(Event.WAITING, "Done, not yet in use.")]
    return desk


def test_what_waits_is_kept_after_a_question_and_told_as_what_is_done() -> None:
    told = converse_with(waiting(), [*media(waiting()), "", "S1", "2", "2"])
    result = told.after("Step 9 of 9: Result")
    assert "Done, not yet in use: keep it to use it, or undo it." in result and "Not done: step" not in result
    assert "sudo diskwright keep /nowhere/20261121-000000-sda, or sudo diskwright undo" in result
    assert "It is put to use, mounted at /srv/media. There is no way back then." in result
    assert (
        "Kept. It is mounted. 500 GB ready at /srv/media, writable by root only. Kept: the drive is" in result
    )
    assert "Checked afterwards: 1 of 1 hold." in result
    assert told.code is ExitCode.DONE


def test_what_waits_is_undone_after_a_question_or_it_is_said_why_not() -> None:
    desk = waiting()
    told = converse_with(desk, [*media(desk), "", "S1", "3", "2"])
    assert (
        "What the drive held before is put back, bit for bit, and compared." in told.flat
        and "Undone." in told.flat
    )
    assert desk.ends is RunState.UNDONE and told.code is ExitCode.DONE


@pytest.mark.parametrize("answers", [[""], ["2", ""], ["3", "", ""], []])
def test_no_is_the_default_and_it_can_be_settled_later(answers: list[str]) -> None:
    desk = waiting()
    told = converse_with(desk, [*media(desk), "", "S1", *answers])
    assert desk.ends is RunState.WAITING and told.code is ExitCode.DONE


def test_exit_codes_follow_the_run() -> None:
    desk = Desk(machine())
    for state, code in (
        (RunState.RUNNING, ExitCode.DONE),
        (RunState.STOPPED, ExitCode.INTERRUPTED),
        (RunState.INTERRUPTED, ExitCode.INTERRUPTED),
        (RunState.REFUSED, ExitCode.REFUSED),
    ):
        desk.ends = state
        assert converse_with(desk, [*media(desk), "", "S1"]).code is code


def test_a_label_that_the_filesystem_had_is_told_with_its_partition() -> None:
    part = partition(filesystem="ext4")
    marked = replace(part, signatures=(replace(part.signatures[0], label="films"),))
    desk = Desk(machine(drive(partitions=(marked,))))
    told = converse_with(desk, [""])
    assert 'ext4 "films"' in told.flat


def test_the_reasons_of_a_misaligned_partition_have_published_figures() -> None:
    crooked = partition(start_bytes=63 * 512, kernel_start_bytes=63 * 512, filesystem="ext4")
    told = converse_with(Desk(machine(partitioned(crooked))), ["e 1"])
    shown = told.after("How it records, by every clue there is:")
    assert "Danger: " in shown and "Source: " in shown
    assert "Evidence: " in shown and "Measured: " in shown
