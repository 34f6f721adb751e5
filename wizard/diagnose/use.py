"""Who uses the drive, what could not be read of it, and whether it is dying."""

from collections.abc import Iterator

from wizard.diagnose.words import use as words
from wizard.filesystems.partitions import is_half_moved
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Obstacle, Use
from wizard.model.said import Said
from wizard.model.waiting import Waiting

ESSENTIAL = ("drive", "size_bytes", "geometry", "table", "partitions", "signatures", "uses")
"""Fields without which nothing may be written."""


def find_use(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding a use, one a reason for something unread; read-only; failing health."""
    if drive.smart.passed is False:
        yield Finding(
            "health-failing",
            Severity.DANGER,
            drive.path,
            words.FAILING(drive=drive.path),
            words.FAILING_WHY(),
            words.FAILING_SOURCE(),
            words.FAILING_REMEDY(drive=drive.path),
        )
    if drive.read_only:
        yield Finding(
            "drive-read-only",
            Severity.INFO,
            drive.path,
            words.READ_ONLY(drive=drive.path),
            words.READ_ONLY_WHY(),
            words.READ_ONLY_SOURCE(),
            words.READ_ONLY_REMEDY(drive=drive.path),
        )
    if drive.waiting:
        yield _waiting(drive.path, drive.waiting)
    yield from _half_moved(drive)
    carries_system = any(use.kind == "running-system" for use in drive.uses)
    yield from (_use(use, carries_system=carries_system) for use in drive.uses)
    yield from _unread(drive, root=root)


def _half_moved(drive: Drive) -> Iterator[Finding]:
    for part in drive.partitions:
        if is_half_moved(part):
            yield Finding(
                "move-unfinished",
                Severity.DANGER,
                part.path,
                words.HALF_MOVED(part=part.path),
                words.HALF_MOVED_WHY(),
                words.HALF_MOVED_JOURNAL() if part.moving else words.HALF_MOVED_SOURCE(),
                words.HALF_MOVED_REMEDY(drive=drive.path),
            )


def _waiting(path: str, waiting: Waiting) -> Finding:
    run, begun, told = waiting.run, waiting.begun, waiting.told.rstrip(".")
    source = words.NOTICE(start=waiting.start_bytes)
    if not waiting.bare:
        return Finding(
            "drive-left",
            Severity.INFO,
            path,
            words.LEFT(drive=path, run=run, begun=begun, told=told),
            words.LEFT_WHY(),
            source,
            words.LEFT_REMEDY(run=run),
        )
    return Finding(
        "drive-waiting",
        Severity.WARNING,
        path,
        words.WAITING(drive=path, run=run, begun=begun, told=told),
        words.WAITING_WHY(),
        source,
        words.WAITING_REMEDY(drive=path, run=run),
    )


def _use(use: Use, *, carries_system: bool) -> Finding:
    code, sentence, remedy = _used(use.kind, use.subject, use.by)
    if carries_system and use.kind in ("mounted", "swap"):
        remedy = words.SYSTEM_MAY_NEED_IT()
    return Finding(code, Severity.INFO, use.subject, sentence, words.USE_WHY(), words.USE_SOURCE(), remedy)


def _used(kind: str, device: str, by: Said | str) -> tuple[str, Said, Said]:
    """Code, sentence and remedy of a use."""
    match kind:
        case "mounted":
            remedy = words.MOUNTED_REMEDY(by=by) if isinstance(by, str) else words.HIDDEN_REMEDY()
            return "use-mounted", words.MOUNTED(device=device, by=by), remedy
        case "swap":
            return "use-swap", words.SWAP(device=device), words.SWAP_REMEDY(device=device)
        case "holder":
            return "use-holder", words.HOLDER(device=device, by=by), words.HOLDER_REMEDY(by=by)
        case "loop-backing":
            return "use-loop-backing", words.LOOP(device=device, by=by), words.LOOP_REMEDY(by=by)
        case "raid-member":
            return "use-raid-member", words.MEMBER(device=device, by=by), words.MEMBER_REMEDY(by=by)
        case "running-system":
            return "use-running-system", words.SYSTEM(device=device, by=by), words.SYSTEM_REMEDY()
        case _:
            return "use-opened", words.OPENED(device=device, by=by), words.OPENED_REMEDY(device=device)


REMEDIES = {
    Obstacle.DENIED: words.FORBIDDEN,
    Obstacle.FORBIDDEN: words.FORBIDDEN,
    Obstacle.NOT_INSTALLED: words.NOT_INSTALLED,
    Obstacle.UNKNOWN_BRIDGE: words.UNKNOWN_BRIDGE,
    Obstacle.OTHER_BLOCKS: words.OTHER_BLOCKS,
    Obstacle.CONTRADICTORY: words.CONTRADICTORY,
}


def named_field(what: str) -> Said | str:
    """What a person knows the field by. A recording by another version may have a field of its own."""
    return words.NAMES[what]() if what in words.NAMES else what


def _unread(drive: Drive, *, root: bool) -> Iterator[Finding]:
    """One finding for all reasons that concern the same and have the same remedy: a drive that fails to read
    has many."""
    fields: dict[tuple[Said, Said], list[str]] = {}
    for unread in drive.unread:
        remedy = REMEDIES.get(unread.obstacle, words.CHECK_CABLE) if root else words.AS_ROOT
        fields.setdefault((unread.why, remedy()), []).append(unread.what)
    alike: dict[tuple[Said, tuple[str, ...]], list[Said]] = {}
    for (why, said), what in fields.items():
        alike.setdefault((said, tuple(what)), []).append(why)
    for (said, names), whys in alike.items():
        essential = any(name in ESSENTIAL for name in names)
        yield Finding(
            "drive-unread",
            Severity.WARNING if essential and root else Severity.INFO,
            drive.path,
            words.UNREAD(drive=drive.path, what=tuple(map(named_field, names)), reasons=tuple(whys)),
            words.ESSENTIAL_WHY() if essential else words.UNREAD_WHY(),
            words.UNREAD_SOURCE(),
            said,
        )
