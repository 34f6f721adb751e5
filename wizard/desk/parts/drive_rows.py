"""A drive, its partitions and what was found of it, as rows and paragraphs. Pure."""

from collections.abc import Iterator, Sequence

from wizard.desk.parts.answers import answer_to
from wizard.desk.parts.bars import drive_bar
from wizard.desk.parts.runs import RUNNING, runs_on, waits
from wizard.desk.places.words import drives as words
from wizard.desk.view import GAP, Block, Pane, Para, Piece, Row, Text, Tone, muted, para, strong
from wizard.diagnose.told import recording_word
from wizard.filesystems.partitions import is_half_moved
from wizard.filesystems.registry import title_of
from wizard.layout.room.refusals import unread_content
from wizard.migrate.ext.candidates import Candidate, old_filesystems
from wizard.model.finding import Diagnosis, Finding, Recorded, Severity
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.services.contract import Services
from wizard.services.session import OpenRun

TONES = {
    Severity.DANGER: Tone.DANGER,
    Severity.WARNING: Tone.WARN,
    Severity.INFO: Tone.ACCENT,
    Severity.OK: Tone.GOOD,
}
_SAID = {Severity.DANGER: words.DANGER, Severity.WARNING: words.WARNING, Severity.INFO: words.INFO}
_RUN_SAID = {"running": words.RUN_WORKS, "waiting": words.RUN_WAITS, "done": words.RUN_WAITS}
OF_A_RUN = frozenset({"drive-read-only", "drive-waiting", "move-unfinished", "signatures-lost"})
"""Findings that only tell what an open run has done: it locks, withholds, and leaves copies of what was."""


def short(path: str) -> str:
    """A device without its folder."""
    return printable(path.removeprefix("/dev/"), 40)


def kind_of(drive: Drive) -> Text:
    """What it is made of."""
    if drive.rotational is None:
        return words.KIND_UNKNOWN()
    return words.HDD() if drive.rotational else words.SSD()


def run_row(run: OpenRun, *, named: bool = False) -> Row:
    """A run that is at work, or waits for a word; `named` where another one is on the same drives."""
    said = words.RUN_STUCK() if run.why_not else _RUN_SAID.get(run.state, words.RUN_STOPPED)()
    tone = Tone.ACCENT if run.state == "running" else Tone.WARN
    drives = ", ".join(map(short, run.drives))
    name = muted(printable(run.run.name, 60) if named else "")
    return Row(f"run:{run.run}", (Piece("!", tone), strong(drives), Piece(said, tone), name), pinned=True)


def reading_row(path: str) -> Row:
    """A drive that has not answered yet."""
    return Row(path, (strong(short(path)), muted(words.READING())))


def drive_row(drive: Drive, diagnosis: Diagnosis, impediment: Text, runs: Sequence[OpenRun] = ()) -> Row:
    """Name, model, size, what it is made of, its bus, and how it stands."""
    size = words.UNKNOWN_SIZE() if drive.size_bytes is None else words.SIZE(size=drive.size_bytes)
    blocks = drive.geometry.sector_format if drive.geometry else ""
    cells = (
        strong(short(drive.path)),
        Piece(printable(drive.model, 24) if drive.model else words.NO_NAME()),
        Piece(size),
        Piece(kind_of(drive)),
        Piece(drive.bus or ""),
        Piece(blocks),
        stands(drive, diagnosis, impediment, runs),
    )
    return Row(drive.path, cells)


def stands(drive: Drive, diagnosis: Diagnosis, impediment: Text, runs: Sequence[OpenRun] = ()) -> Piece:
    """The most important thing about a drive, in a few words. `runs` are the open ones of it."""
    if any(use.kind == "running-system" for use in drive.uses):
        return muted(words.SYSTEM())
    if any(run.state == RUNNING for run in runs):
        return Piece(words.RUN_WORKS(), Tone.ACCENT)
    if any(map(waits, runs)) or _withholds(drive):
        return Piece(words.WAITS(), Tone.WARN)
    for severity, said in ((Severity.DANGER, words.DANGERS), (Severity.WARNING, words.WARNINGS)):
        if count := sum(finding.severity is severity for finding in diagnosis.findings):
            return Piece(said(count=count), TONES[severity])
    if unread_content(drive):
        return Piece(words.NOT_READ(), Tone.WARN)
    if drive.read_only:
        return muted(words.READ_ONLY())
    if impediment:
        mounted = next((use.by for use in drive.uses if use.kind == "mounted"), "")
        return muted(words.MOUNTED(place=mounted) if mounted else words.IN_USE())
    return held_on(drive)


def held_on(drive: Drive) -> Piece:
    """What it holds, where nothing else is to be told of it."""
    if drive.is_empty:
        return Piece(words.NEW(), Tone.GOOD)
    if drive.partitions:
        return Piece(words.HOLDS(count=len(drive.partitions)))
    return Piece(", ".join(title_of(mark.kind) for mark in drive.signatures))


def _withholds(drive: Drive) -> bool:
    """Whether something on it is not recognised only since it waits, by the drive's own notice or journal."""
    has_notice = drive.waiting is not None and drive.waiting.bare
    return has_notice or any(map(is_half_moved, drive.partitions))


def partition_row(drive: Drive, part: Partition, runs: Sequence[OpenRun] = ()) -> Row:
    """Name, what it holds, size, and where it is mounted, or that one of the open `runs` waits there."""
    label = next((mark.label for mark in part.signatures if mark.label), None) or part.name
    held: Text = title_of(part.filesystem or "") or (
        words.NOT_READ() if drive.is_unread(part) else words.NO_FILESYSTEM()
    )
    if part.signatures and not part.filesystem:
        held = "+".join(title_of(mark.kind) for mark in part.signatures)
    mounted = next(iter(part.mount_points), "")
    # What is withheld of a partition is not lost: nothing recognises it until it is kept or undone.
    half = any(map(is_half_moved, drive.partitions))
    withheld = is_half_moved(part) if half else not part.signatures and _withholds(drive)
    waiting = withheld or any(map(waits, runs_on(runs, drive, part.path)))
    cells = (
        strong(short(part.path)),
        Piece(printable(label, 24) if label else ""),
        Piece(words.SIZE(size=part.size_bytes)),
        Piece("" if withheld else held),
        Piece(""),
        Piece(""),
        Piece(words.WAITS(), Tone.WARN)
        if waiting
        else muted(words.MOUNTED(place=mounted))
        if mounted
        else Piece(""),
    )
    return Row(part.path, cells, level=1)


def about(services: Services, count: int) -> Text:
    """How many drives there are, and with whose rights they are read."""
    who = (
        words.NOT_ROOT()
        if services.needs_root and (services.asks_for_root or services.apply_obstacle)
        else words.RECORDED()
        if services.obstacle and not services.needs_root
        else words.AS_ROOT()
    )
    return words.ABOUT(count=count, who=who)


def drive_panes(
    drive: Drive,
    diagnosis: Diagnosis,
    impediment: Text,
    *,
    can_ask: bool,
    device: str = "",
    runs: Sequence[OpenRun] = (),
) -> tuple[Pane, ...]:
    """What the drive under the cursor is, what stands against setting it up, and what was found. `device` is
    the partition that the cursor stands on; `runs` are the open ones of the drive, which come first."""
    name = words.NAME(
        drive=short(drive.path),
        model=printable(drive.model or "", 40),
        size=drive.size_bytes or 0,
        serial=printable(drive.serial, 40) if drive.serial else words.NO_SERIAL(),
    )
    blocks: list[Block] = []
    if bar := drive_bar(drive):
        blocks += [bar]
    blocks += _open(runs)
    if impediment and not any(run.state == RUNNING or waits(run) for run in runs):
        blocks.append(para(Piece(words.NOT_SET_UP(), Tone.WARN), impediment, hang=2))
    if unread_content(drive):
        said = words.UNREAD_CONTENT() if can_ask else words.UNREAD_HERE()
        blocks.append(para(Piece(said, Tone.WARN), hang=2, key="as-root"))
    about = [one for one in diagnosis.findings if not device or one.subject in (device, drive.path)]
    if runs:
        about = [one for one in about if one.code not in OF_A_RUN]
    found = [*finding_paras(about), *_better_as_ext4(old_filesystems(drive), device)]
    if found:
        blocks += [GAP, *found] if blocks else found
    elif not impediment and not unread_content(drive) and not runs:
        blocks.append(para(Piece(words.FINE(), Tone.GOOD)))
    return (Pane(name, tuple(blocks)),)


def _open(runs: Sequence[OpenRun]) -> Iterator[Para]:
    """What can be done about the first of the open runs, each beside its key."""
    for run in runs[:1]:
        if run.state == RUNNING:
            yield para(Piece(words.IS_CHANGED(), Tone.ACCENT), hang=2, key="show-run")
        elif run.why_not:
            yield para(Piece(printable(run.why_not, 600), Tone.WARN), hang=2, key="show-run")
        elif waits(run):
            yield para(Piece(words.KEEP_MEANS(), Tone.WARN), hang=2, key="keep")
            if "undo" in run.ways:
                yield para(words.UNDO_MEANS(), hang=2, key="undo")
        else:
            yield para(Piece(words.LEFT_EARLY(), Tone.WARN), hang=2, key="show-run")


def finding_paras(findings: Sequence[Finding]) -> Iterator[Para]:
    """What asks for something, the worst first; several alike are told once. Where a key does something about
    it, that stands beside it; else what to do. Those that are fine are told by `w`."""
    order = list(Severity)
    alike: dict[tuple[str, Severity], list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: order.index(one.severity)):
        if finding.severity is not Severity.OK:
            alike.setdefault((finding.code, finding.severity), []).append(finding)
    for (code, severity), same in alike.items():
        key = answer_to(code)
        more: Text = words.MORE_ALIKE(count=len(same) - 1) if len(same) > 1 else ""
        piece = Piece(_SAID[severity](), TONES[severity])
        yield para(piece, strong(same[0].sentence), more, hang=2, key=key)
        if severity is not Severity.INFO and key != "speed":
            yield para(same[0].remedy, indent=2)


def _better_as_ext4(found: Sequence[Candidate], device: str) -> Iterator[Para]:
    for one in found:
        if device in ("", one.device):
            named = f'{short(one.device)} "{printable(one.label, 24)}"' if one.label else short(one.device)
            yield para(Piece(words.INFO(), Tone.ACCENT), strong(named), words.BETTER(), hang=2, key="to-ext4")


def recording_piece(diagnosis: Diagnosis) -> Piece:
    """How it records, in a word."""
    tone = Tone.WARN if diagnosis.recording.verdict in (Recorded.YES, Recorded.LIKELY) else Tone.PLAIN
    return Piece(recording_word(diagnosis.recording), tone)
