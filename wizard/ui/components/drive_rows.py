"""A drive with partitions and findings as rows and paragraphs. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wizard.apply.local_runs import OpenRun
from wizard.ext4.superblock import ExtCandidate, old_filesystems
from wizard.filesystems import partition_types
from wizard.filesystems.registry import title_of
from wizard.findings.contents import UNRECOGNISED, unmarked_content, unmarked_contents
from wizard.findings.diagnose import DriveVerdict, has_health, judge_health
from wizard.findings.drive_faults import recording_word
from wizard.host.services import Services
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis, Finding, Recorded, Severity
from wizard.model.geometry import Geometry, Identity
from wizard.model.machine import Drive, Partition, Use
from wizard.model.said import Message, Sentence, Sentences, format_capacity, t, tn
from wizard.plan.refusals import unread_content
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_bars import drive_bar
from wizard.ui.components.run_rows import DOUBTED, RUNNING, answer_to, runs_on, waits

MOUNTED = Sentence("mounted at {place}")
WAITS = t("! waiting: keep/undo")
RUN_WORKS = t("being changed now")
RUN_WAITS = t("done, not in use yet. Keep it?")

TONES = {
    Severity.DANGER: ui.Tone.DANGER,
    Severity.WARNING: ui.Tone.WARN,
    Severity.INFO: ui.Tone.ACCENT,
    Severity.OK: ui.Tone.GOOD,
}
HEALTH_TONES = {
    DriveVerdict.GOOD: ui.Tone.GOOD,
    DriveVerdict.WORN: ui.Tone.WARN,
    DriveVerdict.FAILING: ui.Tone.DANGER,
    DriveVerdict.UNKNOWN: ui.Tone.WARN,
}
_SAID = {Severity.DANGER: messages.DANGER, Severity.WARNING: messages.WARNING, Severity.INFO: messages.NOTE}
_RUN_SAID = {"running": RUN_WORKS, "waiting": RUN_WAITS, "done": RUN_WAITS}
OF_A_RUN = frozenset({"drive-read-only", "drive-waiting", "move-unfinished", "signatures-lost"})
"""Findings caused by an open run, which locks the drive, hides signatures and leaves copies."""


def who(drive: Identity) -> str:
    """Describe a drive: `/dev/sda: Example HDD 500, serial S1, 500 GB (500107862016 bytes), 512e.`"""
    model = drive.model or messages.NO_NAME
    serial = t("serial {number}", number=drive.serial) if drive.serial else messages.NO_SERIAL
    capacity = f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)"
    return f"{drive.path}: {model}, {serial}, {capacity}, {drive.geometry.sector_format}."


def kind_of(drive: Drive) -> ui.Text:
    """Return HDD or SSD, or the bus if that is unknown."""
    if drive.rotational is None:
        return (drive.bus or "-").upper()
    return t("HDD") if drive.rotational else t("SSD")


def run_row(run: OpenRun, *, named: bool = False) -> ui.Row:
    """Return the row of an open run.

    If `named`, include the run's name to distinguish runs on the same drives.
    """
    said = (
        t("cannot go on. Enter shows why.")
        if run.why_not
        else _RUN_SAID.get(run.state) or t("not finished. Go on or undo?")
    )
    tone = ui.Tone.ACCENT if run.state == "running" else ui.Tone.WARN
    drives = ", ".join(map(ui.short, run.drives))
    name = ui.muted(run.run.name if named else "")
    return ui.Row(
        f"run:{run.run}", (ui.Piece("!", tone), ui.strong(drives), ui.Piece(said, tone), name), pinned=True
    )


def gone_row(count: int) -> ui.Row:
    """Return the row that counts failed runs of absent drives."""
    said = tn(
        "1 failed run of an absent drive: `diskwright status`",
        "{count} failed runs of absent drives: `diskwright status`",
        count=count,
    )
    return ui.Row("gone", (ui.Piece("!"), ui.Piece(""), ui.muted(said)), pinned=True)


def absent_row(finding: Finding) -> ui.Row:
    """Return the row of a finding about a device that is not attached."""
    said = ui.warn(t("not attached, the boot may stop"))
    return ui.Row(
        f"absent:{finding.subject}",
        (ui.warn("!"), ui.strong(finding.subject), said),
        pinned=True,
    )


def absent_pane(finding: Finding) -> ui.Pane:
    """Describe a finding about a device that is not attached."""
    return ui.Pane(finding.subject, tuple(finding_paras((finding,))))


def reading_row(path: str) -> ui.Row:
    """Return the row of a drive still being read."""
    return ui.Row(path, (ui.strong(ui.short(path)), ui.muted(t("reading ..."))))


def drive_row(drive: Drive, diagnosis: Diagnosis, blocker: ui.Text, runs: Sequence[OpenRun] = ()) -> ui.Row:
    """Return the row of a drive: name, model, size, kind and status, with its bar."""
    size = "?" if drive.size_bytes is None else format_capacity(drive.size_bytes)
    cells = (
        ui.strong(ui.short(drive.path)),
        ui.Piece(printable(drive.model, 24) if drive.model else messages.NO_NAME),
        ui.Piece(size),
        ui.Piece(kind_of(drive)),
        drive_state(drive, diagnosis, blocker, runs),
    )
    return ui.Row(drive.path, cells, bar=drive_bar(drive))


def drive_state(
    drive: Drive, diagnosis: Diagnosis, blocker: ui.Text, runs: Sequence[OpenRun] = ()
) -> ui.Piece:
    """Summarise the most important fact about a drive. `runs` are the open runs on this drive."""
    if any(use.kind == "running-system" for use in drive.uses):
        return ui.muted(t("in use: this system"))
    if any(run.state == RUNNING for run in runs):
        return ui.accent(RUN_WORKS)
    if any(map(waits, runs)) or _hides_signatures(drive):
        return ui.warn(WAITS)
    for severity, said in (
        (Severity.DANGER, Sentences("! 1 danger", "! {count} dangers")),
        (Severity.WARNING, Sentences("! 1 warning", "! {count} warnings")),
    ):
        if count := sum(finding.severity is severity for finding in diagnosis.findings):
            return ui.Piece(said(count=count), TONES[severity])
    if unread_content(drive):
        return ui.warn(messages.NOT_READ)
    if drive.read_only:
        return ui.muted(t("read-only"))
    if blocker:
        mounted = next((use.by for use in drive.uses if use.kind == "mounted"), "")
        return ui.muted(MOUNTED(place=mounted) if mounted else messages.IN_USE)
    return held_on(drive)


def held_on(drive: Drive) -> ui.Piece:
    """Summarise the contents of a drive."""
    if drive.is_empty:
        return ui.good(t("new and empty"))
    if drive.partitions:
        return ui.Piece(tn("1 partition", "{count} partitions", count=len(drive.partitions)))
    unmarked = (
        [str(UNRECOGNISED if not drive.lost else t("lost partitions"))] if unmarked_contents(drive) else []
    )
    return ui.Piece(", ".join([*(title_of(mark.kind) for mark in drive.signatures), *unmarked]))


def _hides_signatures(drive: Drive) -> bool:
    """Return True if the drive's notice or journal shows that signatures are hidden by a waiting run."""
    has_notice = drive.waiting is not None and drive.waiting.bare
    return has_notice or any(map(partition_types.is_half_moved, drive.partitions))


def partition_row(drive: Drive, part: Partition, runs: Sequence[OpenRun] = ()) -> ui.Row:
    """Return the row of a partition: name, label, size, contents, and mount point or waiting run.

    `runs` are the open runs on the drive.
    """
    label = next((mark.name for mark in part.signatures if mark.name), None) or part.name
    held: ui.Text = title_of(part.filesystem or "") or (unmarked_content(drive, part))
    if part.signatures and not part.filesystem:
        held = "+".join(title_of(mark.kind) for mark in part.signatures)
    mounted = next(iter(part.mount_points), "")
    # Hidden signatures are restored by keep or undo, so the contents are not lost.
    half = any(map(partition_types.is_half_moved, drive.partitions))
    withheld = (
        partition_types.is_half_moved(part) if half else not part.signatures and _hides_signatures(drive)
    )
    waiting = withheld or any(map(waits, runs_on(runs, drive, part.path)))
    cells = (
        ui.strong(ui.short(part.path)),
        ui.Piece(printable(label, 24) if label else ""),
        ui.Piece(format_capacity(part.size_bytes)),
        ui.Piece("" if withheld else held),
        ui.warn(WAITS) if waiting else ui.muted(MOUNTED(place=mounted)) if mounted else ui.Piece(""),
    )
    return ui.Row(part.path, cells, level=1)


def about(services: Services, count: int) -> ui.Text:
    """Return the number of drives and the read privileges."""
    who = (
        t("not root")
        if services.needs_root and (services.asks_for_root or services.apply_obstacle)
        else t("recorded")
        if services.obstacle and not services.needs_root
        else t("as root")
    )
    return tn("{count} drive, {who}", "{count} drives, {who}", count=count, who=who)


def drive_panes(
    drive: Drive,
    diagnosis: Diagnosis,
    blocker: ui.Text,
    *,
    can_ask: bool,
    device: str = "",
    free: Mapping[str, int | None],
    runs: Sequence[OpenRun] = (),
) -> tuple[ui.Pane, ...]:
    """Describe a drive with obstacles and findings. `device` is the selected partition, `free` the free space
    by mount point.

    `runs` are the open runs on the drive, shown first.
    """
    name = t(
        "{drive}  {model}  {size:size}  serial {serial}",
        drive=ui.short(drive.path),
        model=drive.model or "",
        size=drive.size_bytes or 0,
        serial=drive.serial or messages.NONE,
    )
    blocks: list[ui.Block] = []
    if bar := drive_bar(drive):
        blocks += [bar]
    blocks += _open(runs)
    mounts = tuple(use for use in mounts_of(drive) if device in ("", drive.path, use.subject))
    blocks += (_mount_para(use, free.get(str(use.by))) for use in mounts[:MOST_MOUNTS])
    if blocker and not any(run.state == RUNNING or waits(run) for run in runs):
        blocks.append(blocker_para(drive, blocker))
    if unread_content(drive):
        said = (
            t("Contents not read: only root can. Press o to read as root.")
            if can_ask
            else t("Contents could not be read. Press w for the reason.")
        )
        blocks.append(ui.para(ui.warn(said), hang=2, key="as-root"))
    if drive.is_empty and not blocker:
        blocks.append(ui.para(ui.good(t("New and empty. Press Enter to set it up."))))
    found = [one for one in diagnosis.findings if not device or one.subject in (device, drive.path)]
    if runs:
        found = [one for one in found if one.code not in OF_A_RUN]
    for part in (
        _headlines(found),
        _better_as_ext4(old_filesystems(drive), device),
        _about(drive, diagnosis),
    ):
        if rows := tuple(part):
            blocks += (ui.GAP, *rows) if blocks else rows
    return (ui.Pane(name, tuple(blocks)),)


def _headlines(findings: Sequence[Finding]) -> Iterator[ui.Para]:
    """Yield dangers and warnings, worst first, each with its key and what helps. `w` shows all findings."""
    severe = [one for one in findings if one.severity in (Severity.DANGER, Severity.WARNING)]
    for number, same in enumerate(_merged(severe)):
        first, tone = same[0], TONES[same[0].severity]
        key = answer_to(first.code)
        if number:
            yield ui.GAP
        yield ui.para(
            ui.Piece(_SAID[first.severity], tone),
            ui.Piece(headline(first), tone),
            _more(same),
            key=key,
        )
        yield ui.para(first.remedy if key else first.advice, indent=2)


def _more(same: Sequence[Finding]) -> ui.Text:
    return messages.MORE(count=len(same) - 1) if len(same) > 1 else ""


def headline(finding: Finding) -> str:
    """Return the first clause of a finding, without figures and sources."""
    text = str(finding.sentence)
    # Fewer than three words only name the drive.
    found = re.match(r"\S+ \S+ \S.*?(?=[.;:] | \()", text)
    return (found[0] if found else text).rstrip(".")


def _about(drive: Drive, diagnosis: Diagnosis) -> Iterator[ui.Para]:
    """Yield health, blocks, recording and the number of notes."""
    health = judge_health(drive)
    if has_health(drive):
        yield ui.captioned(messages.HEALTH, ui.Piece(health.said[0], HEALTH_TONES[health.verdict]))
    if drive.geometry:
        yield ui.captioned(t("Blocks"), block_words(drive.geometry))
    if any(one.code in DOUBTED and one.severity is Severity.INFO for one in diagnosis.findings):
        yield ui.captioned(t("Shingled"), recording_piece(diagnosis), key="shingled")
    if notes := sum(one.severity is Severity.INFO for one in diagnosis.findings):
        yield ui.captioned(t("Notes"), str(notes), key="why")


def block_words(geometry: Geometry) -> Message:
    """Describe the block sizes, as on the label of a drive."""
    logical, physical = geometry.logical_block_bytes, geometry.physical_block_bytes
    if logical == physical:
        return t("{size} bytes", size=logical)
    return t(
        "{physical} bytes, shown as {logical} ({name})",
        physical=physical,
        logical=logical,
        name=geometry.sector_format,
    )


MOST_MOUNTS = 3


def mounts_of(drive: Drive) -> tuple[Use, ...]:
    """Return the uses of a drive's filesystems that are mounted where this program sees them."""
    return tuple(use for use in drive.uses if use.kind == "mounted" and isinstance(use.by, str))


def blocker_para(drive: Drive, blocker: ui.Text) -> ui.Para:
    """Show why a drive cannot be set up. A mounted drive is as it should be, so nothing is wrong."""
    caption = ui.muted(t("To set up:")) if mounts_of(drive) else ui.warn(t("Cannot be set up now:"))
    return ui.para(caption, blocker)


def _mount_para(use: Use, free_bytes: int | None) -> ui.Para:
    said = (
        t("{part} is mounted at {place}.", part=use.subject, place=str(use.by))
        if free_bytes is None
        else t(
            "{part} is mounted at {place}, {free:size} free.",
            part=use.subject,
            place=str(use.by),
            free=free_bytes,
        )
    )
    return ui.para(ui.good(said), hang=2)


def _open(runs: Sequence[OpenRun]) -> Iterator[ui.Para]:
    """Yield the actions for the first open run with their keys."""
    for run in runs[:1]:
        if run.state == RUNNING:
            yield ui.para(ui.accent(messages.IS_CHANGED), hang=2, key="show-run")
        elif run.why_not:
            yield ui.para(ui.warn(run.why_not), hang=2, key="show-run")
        elif waits(run):
            yield ui.para(ui.warn(t("Done, not in use yet. Keep the result?")), hang=2, key="keep")
            if "undo" in run.ways:
                yield ui.para(t("Undo restores the old contents."), hang=2, key="undo")
        else:
            yield ui.para(ui.warn(t("A run was not finished: go on or undo.")), hang=2, key="show-run")


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings by severity."""
    order = list(Severity)
    return sorted(findings, key=lambda one: order.index(one.severity))


def finding_paras(findings: Sequence[Finding]) -> Iterator[ui.Para]:
    """Yield findings that need action, worst first, with similar ones merged.

    Shows the key of the action that resolves a finding, or the remedy. Omits findings of severity OK, listed
    by `w`.
    """
    for same in _merged(one for one in findings if one.severity is not Severity.OK):
        severity, key = same[0].severity, answer_to(same[0].code)
        piece = ui.Piece(_SAID[severity], TONES[severity])
        yield ui.para(piece, ui.strong(same[0].sentence), _more(same), key=key)
        if severity is not Severity.INFO and key != "speed":
            yield ui.para(same[0].advice, indent=2)


def _merged(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    """Yield findings of the same kind and severity together, worst first."""
    alike: dict[tuple[str, Severity], list[Finding]] = {}
    for finding in worst_first(tuple(findings)):
        alike.setdefault((finding.code, finding.severity), []).append(finding)
    yield from alike.values()


def _better_as_ext4(found: Sequence[ExtCandidate], device: str) -> Iterator[ui.Para]:
    names = tuple(one.label or ui.short(one.device) for one in found if device in ("", one.device))
    if names:
        yield ui.para(ui.accent(t("{parts:and} can become ext4", parts=names)), hang=2, key="to-ext4")
        yield ui.para(t("Faster, and dates continue after 2038. Your files stay."), indent=2)


def recording_piece(diagnosis: Diagnosis) -> ui.Piece:
    """Name the recording technology."""
    tone = ui.Tone.WARN if diagnosis.recording.verdict in (Recorded.YES, Recorded.LIKELY) else ui.Tone.PLAIN
    return ui.Piece(recording_word(diagnosis.recording), tone)
