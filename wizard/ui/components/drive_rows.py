"""A drive with partitions and findings as rows and paragraphs. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wizard.apply.local_runs import OpenRun
from wizard.ext4.superblock import old_filesystems
from wizard.filesystems import partition_types
from wizard.filesystems.registry import title_of
from wizard.findings import contents
from wizard.findings.diagnose import DriveVerdict, has_health, judge_health
from wizard.findings.drive_faults import recording_word
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Partition, Use
from wizard.model.said import Sentence, Sentences, format_capacity, t, tn
from wizard.plan.refusals import unread_content
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import run_rows
from wizard.ui.components.drive_bars import drive_bar

MOUNTED = Sentence("mounted at {place}")
WAITS = t("! waiting: keep/undo")

HEALTH_TONES = {
    DriveVerdict.GOOD: ui.Tone.GOOD,
    DriveVerdict.WORN: ui.Tone.WARN,
    DriveVerdict.FAILING: ui.Tone.DANGER,
    DriveVerdict.UNKNOWN: ui.Tone.WARN,
}
COUNTED = {
    Severity.DANGER: Sentences("! 1 danger", "! {count} dangers"),
    Severity.WARNING: Sentences("! 1 warning", "! {count} warnings"),
}
CAPTIONS = {
    Severity.DANGER: ui.danger(t("danger:")),
    Severity.WARNING: ui.warn(t("warning:")),
    Severity.INFO: ui.accent(messages.NOTE),
    Severity.OK: ui.good(t("fine:")),
}
OF_A_RUN = frozenset({"drive-read-only", "drive-waiting", "move-unfinished", "signatures-lost"})
"""Findings caused by an open run, which locks the drive, hides signatures and leaves copies."""


def who(drive: Identity) -> str:
    """Describe a drive: `/dev/sda: Example HDD 500, serial S1, 500 GB (500107862016 bytes), 512e.`"""
    model = drive.model or messages.NO_NAME
    capacity = f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)"
    return f"{drive.path}: {model}, {serial_of(drive)}, {capacity}, {drive.geometry.sector_format}."


def serial_of(drive: Identity | Drive) -> ui.Text:
    """Return the serial number with a caption."""
    return t("serial {number}", number=drive.serial) if drive.serial else t("no serial number")


def kind_of(drive: Drive) -> ui.Text:
    """Return HDD or SSD, or the bus if that is unknown."""
    if drive.rotational is None:
        return (drive.bus or "-").upper()
    return t("HDD") if drive.rotational else t("SSD")


def connection_of(drive: Drive) -> ui.Text:
    """Return the bus, with the speed of the link if known."""
    bus = "NVMe" if drive.bus == "nvme" else (drive.bus or "").upper()
    if megabits := drive.link_megabits:
        speed = f"{round(megabits / 1000, 1):g} Gb/s" if megabits >= 1000 else f"{megabits} Mb/s"
        return f"{bus or '?'}, {speed}"
    return bus


def run_row(run: OpenRun, *, named: bool = False) -> ui.Row:
    """Return the row of an open run.

    If `named`, include the run's name to distinguish runs on the same drives.
    """
    said = run_rows.state_of(run)
    if run.why_not:
        said = ui.warn(t("cannot continue. Press Enter to see why."))
    drives = ui.strong(", ".join(map(ui.short, run.drives)))
    name = ui.muted(run.run.name if named else "")
    return ui.row(f"run:{run.run}", ui.Piece("!", said.tone), drives, said, name, pinned=True)


def absent_row(finding: Finding) -> ui.Row:
    """Return the row of a finding about a device that is not attached."""
    said = ui.warn(t("not attached, the boot may stop"))
    name = ui.strong(finding.subject)
    return ui.row(f"absent:{finding.subject}", ui.warn("!"), name, said, pinned=True)


def drive_row(drive: Drive, diagnosis: Diagnosis, runs: Sequence[OpenRun]) -> ui.Row:
    """Return the row of a drive: name, model, size, kind and status, with the bar."""
    size = "?" if drive.size_bytes is None else format_capacity(drive.size_bytes)
    return ui.row(
        drive.path,
        ui.strong(ui.short(drive.path)),
        printable(drive.model, 24) if drive.model else messages.NO_NAME,
        size,
        kind_of(drive),
        _drive_state(drive, diagnosis, runs),
        bar=drive_bar(drive),
    )


def _drive_state(drive: Drive, diagnosis: Diagnosis, runs: Sequence[OpenRun]) -> ui.Piece:
    """Summarise the most important fact about a drive. `runs` are the open runs on this drive."""
    if drive.runs_system:
        return ui.muted(t("in use: this system"))
    if any(run.state == run_rows.RUNNING for run in runs):
        return ui.accent(messages.IS_CHANGED)
    if any(map(run_rows.waits, runs)) or _hides_signatures(drive):
        return ui.warn(WAITS)
    for severity, said in COUNTED.items():
        if count := sum(finding.severity is severity for finding in diagnosis.findings):
            return ui.Piece(said(count=count), CAPTIONS[severity].tone)
    if unread_content(drive):
        return ui.warn(messages.NOT_READ)
    if drive.read_only:
        return ui.muted(t("read-only"))
    if run_rows.blocker(runs, drive):
        mounted = next((use.by for use in drive.uses if use.kind == "mounted"), "")
        return ui.muted(MOUNTED(place=mounted) if mounted else t("in use"))
    return held_on(drive)


def held_on(drive: Drive) -> ui.Piece:
    """Summarise the contents of a drive."""
    if drive.is_empty:
        return ui.good(t("new and empty"))
    if drive.partitions:
        return ui.Piece(tn("1 partition", "{count} partitions", count=len(drive.partitions)))
    held = [title_of(mark.kind) for mark in drive.signatures]
    if contents.unmarked_contents(drive):
        held.append(str(t("lost partitions") if drive.lost else contents.UNRECOGNISED))
    return ui.Piece(", ".join(held))


def _hides_signatures(drive: Drive) -> bool:
    """Return True if the drive's notice or journal shows that signatures are hidden by a waiting run."""
    return bool(drive.waiting and drive.waiting.bare) or _is_half_moved(drive)


def _is_half_moved(drive: Drive) -> bool:
    return any(map(partition_types.is_half_moved, drive.partitions))


def partition_row(drive: Drive, part: Partition, runs: Sequence[OpenRun]) -> ui.Row:
    """Return the row of a partition: name, label, size, contents, and mount point or waiting run.

    `runs` are the open runs on the drive.
    """
    held: ui.Text = "+".join(title_of(mark.kind) for mark in part.signatures)
    if part.filesystem or not part.signatures:
        held = title_of(part.filesystem or "") or contents.unmarked_content(drive, part)
    mounted = next(iter(part.mount_points), "")
    # Hidden signatures are restored by keep or undo, so the contents are not lost.
    withheld = not part.signatures and _hides_signatures(drive)
    if _is_half_moved(drive):
        withheld = partition_types.is_half_moved(part)
    waiting = withheld or any(map(run_rows.waits, run_rows.runs_on(runs, drive, part.path)))
    return ui.row(
        part.path,
        ui.strong(ui.short(part.path)),
        printable(part.shown_name or "", 24),
        format_capacity(part.size_bytes),
        "" if withheld else held,
        ui.warn(WAITS) if waiting else ui.muted(MOUNTED(place=mounted)) if mounted else "",
        level=1,
    )


def drive_pane(
    drive: Drive,
    diagnosis: Diagnosis,
    *,
    can_ask: bool,
    device: str,
    free: Mapping[str, int | None],
    runs: Sequence[OpenRun],
) -> ui.Pane:
    """Describe a drive with open runs, obstacles and findings. `device` is the selected partition, `free` the
    free space by mount point. `runs` are all open runs.
    """
    why_not, runs = run_rows.blocker(runs, drive), run_rows.runs_on(runs, drive, device)
    size, serial = format_capacity(drive.size_bytes or 0), serial_of(drive)
    name = "  ".join(filter(None, (ui.short(drive.path), drive.model, size, str(serial))))

    def blocks() -> ui.Blocks:
        if bar := drive_bar(drive):
            yield bar
        yield from _open(runs)
        mounts = [use for use in mounts_of(drive) if device in ("", drive.path, use.subject)]
        for use in mounts[:MOST_MOUNTS]:
            part, place = use.subject, str(use.by)
            said = t("{device} is mounted at {mount_point}.", device=part, mount_point=place)
            if (room := free.get(place)) is not None:
                said = t("{part} is mounted at {place}, {free:size} free.", part=part, place=place, free=room)
            yield ui.fine(said, hang=2)
        if why_not and not any(run.state == run_rows.RUNNING or run_rows.waits(run) for run in runs):
            yield blocker_para(drive, why_not)
        if unread_content(drive):
            said = t("Contents could not be read. Press w for the reason.")
            if can_ask:
                said = t("Contents not read: only root can.")
            yield ui.warning(said, hang=2, key="as-root")
        if drive.is_empty and not why_not:
            yield ui.para(held_on(drive), key="set-up")
        here = [one for one in diagnosis.findings if not device or one.subject in (device, drive.path)]
        yield from finding_paras((one for one in here if not (runs and one.code in OF_A_RUN)), brief=True)
        old = (one for one in old_filesystems(drive) if device in ("", one.device))
        if names := tuple(one.label or ui.short(one.device) for one in old):
            yield ui.GAP
            yield ui.named(t("{parts:and} can become ext4", parts=names), hang=2, key="to-ext4")
            yield ui.para(t("Faster, and dates continue after 2038. Your files stay."), indent=2)
        yield ui.GAP
        yield from _about(drive, diagnosis)

    found = tuple(blocks())
    begin, end = found[0] == ui.GAP, len(found) - (found[-1] == ui.GAP)
    return ui.Pane(name, found[begin:end])


def headline(sentence: ui.Text) -> str:
    """Return the first clause of a sentence, without figures and sources."""
    text = str(sentence)
    # Fewer than three words only name the drive.
    found = re.match(r"\S+ \S+ \S.*?(?=[.;:] | \()", text)
    return (found[0] if found else text).rstrip(".")


def _about(drive: Drive, diagnosis: Diagnosis) -> Iterator[ui.Para]:
    health = judge_health(drive)
    if has_health(drive):
        yield ui.captioned(
            messages.FIRST(what=messages.HEALTH), ui.Piece(health.said[0], HEALTH_TONES[health.verdict])
        )
    if drive.geometry:
        logical, physical = drive.geometry.logical_block_bytes, drive.geometry.physical_block_bytes
        said = t("{size} bytes", size=logical)
        if logical != physical:
            name = drive.geometry.sector_format
            said = t(
                "{physical} bytes, shown as {logical} ({name})", physical=physical, logical=logical, name=name
            )
        yield ui.captioned(t("Blocks"), said)
    if drive.link_megabits:
        yield ui.captioned(messages.CONNECTION, connection_of(drive))
    notes = [one.code for one in diagnosis.findings if one.severity is Severity.INFO]
    if any(run_rows.ANSWERS.get(code) == run_rows.SHINGLED for code in notes):
        yield ui.captioned(t("Shingled"), recording_piece(diagnosis), key=run_rows.SHINGLED)
    if notes:
        yield ui.captioned(messages.NOTES, str(len(notes)), key="why")


MOST_MOUNTS = MOST_NAMED = 3


def mounts_of(drive: Drive) -> tuple[Use, ...]:
    """Return the uses of a drive's filesystems that are mounted where this program sees them."""
    return tuple(use for use in drive.uses if use.kind == "mounted" and isinstance(use.by, str))


def blocker_para(drive: Drive, why_not: ui.Text) -> ui.Para:
    """Show why a drive cannot be set up. A mounted drive is as it should be, so nothing is wrong."""
    caption = ui.muted(t("To set up:")) if mounts_of(drive) else ui.warn(t("Cannot be set up now:"))
    return ui.para(caption, why_not)


def _open(runs: Sequence[OpenRun]) -> Iterator[ui.Para]:
    for run in runs[:1]:
        key = "keep" if run_rows.waits(run) and not run.why_not else "show-run"
        yield ui.para(run_rows.state_of(run), hang=2, key=key)
        if key == "keep" and "undo" in run.ways:
            yield ui.para(messages.UNDO_RESTORES, hang=2, key="undo")


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity."""
    order = list(Severity)
    return sorted(findings, key=lambda one: order.index(one.severity))


def finding_paras(findings: Iterable[Finding], *, brief: bool = False) -> Iterator[ui.Para]:
    """Yield findings, worst first, with similar ones merged, and the action or remedy that resolves them.

    Omits findings of severity OK, listed by `w`. If `brief`, only dangers and warnings, without figures.
    """
    alike: dict[tuple[str, Severity, int], list[Finding]] = {}
    before: Counter[tuple[str, Severity, str]] = Counter()
    for finding in worst_first(findings):
        if finding.severity in COUNTED or (finding.severity is Severity.INFO and not brief):
            # Two findings about one device differ, so each is shown.
            about = finding.code, finding.severity, finding.subject
            alike.setdefault((*about[:2], before[about]), []).append(finding)
            before[about] += 1
    for first, *others in alike.values():
        names = [ui.short(one.subject) for one in others]
        names[MOST_NAMED:] = ["..."] * (len(names) > MOST_NAMED)
        more = t("(also {devices:and})", devices=tuple(names)) if names else ""
        caption, key = CAPTIONS[first.severity], run_rows.ANSWERS.get(first.code, "")
        if brief:
            yield ui.GAP
            yield ui.para(caption, ui.Piece(headline(first.sentence), caption.tone), more, key=key)
        else:
            yield ui.para(caption, ui.strong(first.sentence), more, key=key)
        if brief or (first.severity is not Severity.INFO and key != "speed"):
            yield ui.para(first.remedy if brief and key else first.advice, indent=2)


def recording_piece(diagnosis: Diagnosis) -> ui.Piece:
    """Name the recording technology."""
    recording = diagnosis.recording
    return ui.Piece(recording_word(recording), ui.Tone.WARN if recording.is_shingled else ui.Tone.PLAIN)
