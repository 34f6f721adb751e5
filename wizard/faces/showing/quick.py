"""`diskwright bench --scratch --shingled --quick`: the quick test whether a drive is shingled."""

from argparse import Namespace
from collections.abc import Iterator

from wizard.faces.showing.measuring import hand_over, progress_line
from wizard.model.displaced import USUAL_SECONDS, DisplacedVerdict, Look
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.said import Said, Sentence, t
from wizard.tools.signals import ended_by_signal
from wizard.trial.displaced.pairs import WRITES
from wizard.trial.displaced.possible import block_bytes, probe_extents
from wizard.trial.displaced.probe import Phase, ProbeProgress
from wizard.trial.displaced.run import SECONDS, run_displaced_trial
from wizard.trial.displaced.told import medians
from wizard.trial.document import render_displaced_verdict

BAR_COLUMNS = 44
LABEL_COLUMNS = 22

PHASES = {
    Phase.READING: Sentence("reading"),
    Phase.WRITING: Sentence("writing back"),
    Phase.STREAMING: Sentence("reading elsewhere"),
    Phase.LOOKING: Sentence("comparing"),
    Phase.IDLING: Sentence("leaving it alone"),
    Phase.LOOKING_AGAIN: Sentence("comparing again"),
}


def check(arguments: Namespace) -> None:
    """Raises BadInput for options that do not go together."""
    if not arguments.shingled:
        raise BadInput(t("--quick belongs to --scratch --shingled."))
    if arguments.seconds is not None or arguments.most_bytes:
        raise BadInput(t("--quick has limits of its own: leave out --seconds and --most-bytes."))


def measure(arguments: Namespace, drive: Drive) -> ExitCode:
    """Test it, and print the verdict; 130 where the person ended it."""
    probe_extents(drive)
    beginning = t(
        "Reading {count} blocks in free space of {drive}, and writing the same bytes "
        "back: {size:exact}. That takes about {usual} s, {most} s at most. Every "
        "byte stays as it is; Ctrl+C ends it.",
        count=WRITES,
        drive=drive.path,
        size=WRITES * block_bytes(drive),
        usual=USUAL_SECONDS,
        most=round(SECONDS),
    )
    with ended_by_signal() as is_ended, progress_line(beginning, _in_words) as show:
        verdict = run_displaced_trial(drive, on_progress=show, stop=is_ended)
    return hand_over(arguments, render_displaced_verdict(verdict), quick_lines(verdict), ended=is_ended())


def quick_lines(verdict: DisplacedVerdict) -> list[str]:
    """The verdict as plain text: its sentence, the medians as bars, its caveats."""
    lines = [verdict.sentence]
    looks = (
        (t("right after writing"), verdict.timings.look),
        (t("after the drive was left alone"), verdict.timings.look_after_idle),
    )
    for when, look in looks:
        if look is not None:
            lines += _bars(when, look)
    if verdict.written_bytes:
        took = t(
            "Wrote {written:exact} and read {read:size} in {seconds:.0f} s, waiting included.",
            written=verdict.written_bytes,
            read=verdict.read_bytes,
            seconds=verdict.seconds,
        )
        lines += ["", str(took)]
    return [printable(line, 1000) for line in [*lines, *(f"- {caveat}" for caveat in verdict.caveats)]]


def _bars(when: Said, look: Look) -> Iterator[str]:
    rows = medians(look)
    longest = max((time for _, time in rows), default=1.0)
    yield ""
    for name, time in rows:
        bar = "#" * round(BAR_COLUMNS * time / longest)
        yield f"{name:<{LABEL_COLUMNS}}  {bar:<{BAR_COLUMNS}}  {time / 1e6:.2f} ms"
    yield str(t("Medians of reading one block again, {when}.", when=when))


def _in_words(progress: ProbeProgress) -> str:
    percent, phase = round(100 * progress.share), PHASES[progress.phase]()
    return str(
        t(
            "{phase}: {percent} %, at most {seconds:.0f} s left",
            phase=phase,
            percent=percent,
            seconds=progress.seconds_left,
        )
    )
