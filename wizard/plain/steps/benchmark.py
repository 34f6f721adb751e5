"""Step 6: measure on this very drive whether alignment matters. May be left out."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from wizard.advise.backing import evidence_for
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.units import format_duration
from wizard.model.verdict import Outcome as Shown
from wizard.model.verdict import Ratio, Verdict
from wizard.plain.advicewords import evidence_paragraphs
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, Writing, choose, write
from wizard.plain.saving import save
from wizard.plain.talk import Para
from wizard.services.session import Back, Moved, Next, Session
from wizard.tools.signals import ended_by_signal
from wizard.trial.alignment import Progress, confirm_scratch
from wizard.trial.document import render_verdict

BUDGET_SECONDS = 30.0
ASSUMED_BYTES = 4096

HELP = (
    "The probe reads pairs of small pieces, one on a block boundary and one beside it, directly from the "
    "drive, one right after the other, so that whatever else slows the drive down meets both alike. It ends "
    "as soon as the answer is sure, or after 30 seconds; Ctrl+C ends it early.",
    "Interval: 1.8x (1.6-2.0, 95 %) means that the true factor lies between 1.6 and 2.0 in 95 of 100 such "
    "measurements.",
    "Reading alone never clears a drive: the price of misalignment is paid in writing. Where the drive has "
    "room that nothing uses, writing can be measured too; exactly the bytes that were read there are written "
    "back.",
)
GO_ON, READ, AS_IF, WRITE, SAVE = range(5)


def offer_benchmark(desk: Desk, session: Session) -> Moved:
    """Measure as often as wanted, or go on without."""
    desk.heading(6, "Benchmark (optional)")
    assert session.drive is not None
    while True:
        items = _items(desk, session, session.drive)
        which = f"{session.drive.path}, the first of the drives" if session.others else "this drive"
        topic = Topic(
            f"Measure whether aligned access is faster on {which}?",
            HELP,
            reasons=partial(_reasons, session.verdict),
        )
        answer = choose(desk.talk, Choosing(topic, items, GO_ON))
        if isinstance(answer, Word):
            return Back(session)
        if answer == GO_ON:
            return Next(session)
        if answer == SAVE and session.verdict is not None:
            save(
                desk.talk,
                "The result",
                render_verdict(session.verdict),
                f"{Path(session.drive.path).name}-benchmark.json",
            )
        elif verdict := _measured(desk, session.drive, answer):
            desk.talk.say_all(verdict_paragraphs(verdict))
            session = replace(session, verdict=verdict)


def _items(desk: Desk, session: Session, drive: Drive) -> tuple[Item, ...]:
    """What can be measured, and why what cannot be cannot."""
    obstacle = desk.services.obstacle
    if obstacle and desk.services.needs_root:
        obstacle += " Start the wizard by sudo diskwright --plain to measure."
    hides = drive.geometry is not None and drive.geometry.physical_block_bytes == 512
    may_hide = "" if hides else "It is for drives that claim blocks of 512 bytes and may hide larger ones."
    return (
        Item("Go on" + (" with what was measured." if session.verdict else " without it.")),
        Item("Measure by reading, which changes nothing and takes up to half a minute.", refusal=obstacle),
        Item(
            "The same as if the drive's blocks were of 4096 bytes, whatever it says.",
            refusal=obstacle or may_hide,
        ),
        Item(
            "Measure by writing back what is read in free space.",
            refusal=obstacle or desk.services.scratch_obstacle(drive),
        ),
        Item(
            "Save the result in a file.", refusal="" if session.verdict else "Nothing has been measured yet."
        ),
    )


def _measured(desk: Desk, drive: Drive, how: int) -> Verdict | None:
    """The verdict; None, after saying why, where there is none."""
    if how == WRITE and not _confirmed(desk, drive):
        return None
    desk.talk.say("Measuring; Ctrl+C ends it.")
    try:
        with ended_by_signal() as is_ended:
            return desk.services.measure(
                drive,
                write=how == WRITE,
                physical_bytes=ASSUMED_BYTES if how == AS_IF else None,
                on_progress=_progress_teller(desk),
                stop=is_ended,
            )
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return None


def _confirmed(desk: Desk, drive: Drive) -> bool:
    """Whether the drive's token was typed."""

    def take(token: str) -> bool:
        if not token:
            return False
        confirm_scratch(drive, token)
        return True

    asks = (
        "Pieces of the drive's free space are read, and the very same bytes are written back there. "
        f"Partitions are not touched. To allow it, type the drive's token: {printable(drive.token, 40)}"
    )
    return (
        write(desk.talk, Writing(Topic(asks, HELP), "", "not to measure by writing", (drive.token,)), take)
        is True
    )


def _progress_teller(desk: Desk) -> Callable[[Progress], None]:
    """Says how far it is whenever a further tenth of the time is used up."""
    told = 0

    def tell(progress: Progress) -> None:
        nonlocal told
        tenth = int(10 * (1 - max(0.0, progress.seconds_left) / BUDGET_SECONDS))
        if tenth <= told:
            return
        told = tenth
        so_far = (
            f"misaligned takes {progress.estimate:.2f} times as long so far"
            if progress.estimate
            else "nothing to say so far"
        )
        left = format_duration(max(0.0, progress.seconds_left))
        desk.talk.say(
            f"{10 * tenth} percent of the time used, at most {left} left, {progress.pairs} pairs, {so_far}."
        )

    return tell


def verdict_paragraphs(verdict: Verdict) -> list[Para]:
    """The sentence, what a usual access took, and what must be known to read it rightly."""
    said = [Para(printable(verdict.sentence, 400))]
    if verdict.outcome is not Shown.NOT_POSSIBLE and verdict.pairs:
        aligned = median(pair.aligned_ns for pair in verdict.pairs)
        misaligned = median(pair.misaligned_ns for pair in verdict.pairs)
        said.append(
            Para(
                f"In the middle of {len(verdict.pairs)} pairs an aligned access took {aligned / 1000:.1f} "
                f"microseconds, a misaligned one {misaligned / 1000:.1f}."
            )
        )
    return [*said, *(Para(printable(caveat, 400), 2, 2) for caveat in verdict.caveats)]


def _reasons(verdict: Verdict | None) -> list[Para]:
    """How the result came about, and what others have measured."""
    said = [
        Para(),
        *(verdict_paragraphs(verdict) if verdict else [Para("Nothing has been measured on this drive yet.")]),
    ]
    if verdict and verdict.ratio:
        where = f"one on a block's boundary and one {verdict.shift_bytes} bytes beside it"
        said.append(
            Para(f"Measured in pairs of {verdict.block_bytes} bytes, {where}. {_factor(verdict.ratio)}")
        )
    return [
        *said,
        Para("What others measured on misaligned partitions:"),
        *evidence_paragraphs(evidence_for("alignment")),
        Para(),
    ]


def _factor(ratio: Ratio) -> str:
    often = (
        f"in {100 * ratio.confidence:.0f} of 100 such measurements between {ratio.low:.2f} and "
        f"{ratio.high:.2f}"
    )
    return f"The factor is the misaligned time over the aligned one: {ratio.estimate:.2f}, and {often}."
