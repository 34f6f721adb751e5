"""The folders of runs: create, find and check them, and load their documents and settings."""

import errno
import os
import shlex
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryFile

from wizard.apply.engine.record import load_record
from wizard.apply.run.backup_store import (
    Environment,
    backed_up,
    digest_of_text,
    replace_document,
    replace_text,
)
from wizard.apply.run.journal import BACKUPS, RECORD, in_order, make_numbered, sync_folder
from wizard.apply.run.journal import FILE as JOURNAL
from wizard.apply.system.edited_file import kept_as
from wizard.documents.codec import from_json, parse_document, render_document, to_json
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.plan import Plan
from wizard.model.said import MIB, Message, t
from wizard.plan.check import read_kept_plan, render_plan
from wizard.plan.rehearsed import on_drive_only, on_drives
from wizard.probe.host.uses import unescaped
from wizard.process.program import remember

NOT_LASTING = t("Without the journal, a half-written drive could not be finished. Nothing was written.")

SCHEMA = "diskwright.run/1"
ROOM_BYTES = 4 * MIB
"""What must be free beside the saved regions: the plan, the journal and what commands print."""

STATE = Path("/var/lib/diskwright")
"""Where what outlives a start is kept, unless the environment says otherwise."""

PLAN, CHANGES, MIGRATION = "plan.json", "changes.json", "migration.json"
MOVE, BRING = "move.json", "bring.json"
SETTINGS = "run.json"
"""The document that a run carries out: one of them."""

DRIVES, DRIVES_SCHEMA = "drives.json", "diskwright.drives/1"
"""The drives of a run, where they have other names than in its plan."""

PARTS = (JOURNAL, PLAN, CHANGES, MIGRATION, MOVE, BRING, RECORD, *BACKUPS)
"""The files by which a folder is a run."""

IN_MEMORY = frozenset({"tmpfs", "ramfs", "rootfs", "devtmpfs", "overlay", "squashfs"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is to use when it is taken up again; the document run.json. `direct` says that a plan's
    steps run on the drive itself; None for other runs, and those of older versions."""

    fstab: str
    only: tuple[str, ...] | None
    patience_seconds: float
    direct: bool | None = None


@dataclass(frozen=True, slots=True)
class RunDrives:
    """The drives of a run as they were found when it was taken up again; the document drives.json. `found`
    says that the run's own folder was lost, and that this one was made from the drives' notices.
    """

    drives: tuple[Identity, ...]
    found: bool = False


def runs_folder(journal_dir: Path | None = None) -> Path:
    """Where runs lie: `journal_dir`, or $DISKWRIGHT_STATE/runs, or /var/lib/diskwright/runs."""
    return journal_dir or Path(os.environ.get("DISKWRIGHT_STATE") or STATE).absolute() / "runs"


def run_argument(run: Path) -> str:
    """How a command is told which run is meant, wherever it is typed: by its name where runs usually lie,
    else by its folder, as a shell reads it."""
    whole = run.absolute()
    return run.name if whole.parent == STATE / "runs" else shlex.quote(printable(str(whole), 4000))


def command_on(way: str, run: Path) -> str:
    """The command that does this with a run, as it is typed."""
    return " ".join(("sudo", "diskwright", way, run_argument(run)))


def check_room(folder: Path, needed_bytes: int, *, make: bool) -> None:
    """Prove, by taking the room and giving it back, that a run fits; raises Refused where it does not.

    Without `make` nothing is written: the folder above that exists is only asked how much is free.
    """
    needed = needed_bytes + ROOM_BYTES
    try:
        if make:
            make_private(folder)
        there = next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())
        refuse_open_folder(there)
        status = os.statvfs(there)
        if status.f_bavail * status.f_frsize < needed:
            # Not tried in vain: until that failed, other programs would have no room at all.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if make:
            with TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, needed)
    except OSError as error:
        raise _no_room(folder, error, needed) from None


def make_private(folder: Path) -> None:
    """Make what is missing of a path, whatever the umask: whoever could write to a folder above could put
    another in its place."""
    for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def refuse_open_folder(folder: Path) -> None:
    """Raises Refused where everybody may replace what lies in the folder, or a folder above it: root would
    write where they say."""
    real = folder.resolve()
    for above in (real, *real.parents):
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Refused(
                t(
                    "The journal cannot be in {folder}: everyone can write to {above}. Nothing "
                    "was written. Name a folder only root can write to with --journal DIR.",
                    folder=printable(str(folder), 200),
                    above=printable(str(above), 200),
                )
            )


def _no_room(folder: Path, error: OSError, needed_bytes: int) -> Refused:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason: Message | str = t("not enough space for {needed:exact}", needed=needed_bytes)
    else:
        reason = error.strerror or str(error)
    return Refused(
        t(
            "The journal cannot be in {folder}: {why}. Nothing was written. Free some "
            "space, or name a folder on another mounted volume with --journal DIR.",
            folder=printable(str(folder), 200),
            why=reason,
        )
    )


def lies_in_memory(folder: Path) -> bool:
    """Whether what lies in a folder, which need not be there yet, is gone after a restart."""
    real, best = f"{folder.resolve()}/", ("", "")
    try:
        for line in Path("/proc/self/mountinfo").read_text(errors="replace").splitlines():
            fields, _, tail = line.partition(" - ")
            point = unescaped(fields.split(" ")[4])
            if real.startswith(point.rstrip("/") + "/") and len(point) >= len(best[0]):
                best = (point, tail.split(" ")[0])
    except OSError:
        return False
    return best[1] in IN_MEMORY


def doubts_about(folder: Path) -> tuple[str, ...]:
    """Sentences on what a journal in this folder could not do; empty where it outlives a power cut."""
    if lies_in_memory(folder):
        return (
            str(
                t(
                    "{folder} is in memory: after a power cut, this run could be neither resumed "
                    "nor undone. Name a folder on another mounted volume with --journal DIR.",
                    folder=printable(str(folder), 200),
                )
            ),
        )
    return ()


def check_lasts(folder: Path) -> None:
    """Raises Refused where a run in this folder would be gone after a power cut that leaves a drive half
    changed."""
    for doubt in doubts_about(folder):
        raise Refused(f"{doubt} {NOT_LASTING}")


def new_run(folder: Path, plan: Plan, environment: Environment, *, direct: bool | None = None) -> Path:
    """A folder for a new run, with the plan and the settings in it, all on the medium; raises Refused where
    that fails."""
    return make_run(folder, plan.paths, PLAN, render_plan(plan), environment, direct=direct)


def make_run(
    folder: Path,
    devices: Sequence[str],
    file: str,
    text: str,
    environment: Environment,
    called_for: Callable[[str], Iterable[Path]] = lambda _: (),
    *,
    direct: bool | None = None,
) -> Path:
    """A folder for a new run on these devices, numbered and named for them, with its document in `file`;
    raises as `new_run` does.

    `called_for` gives what lies elsewhere and is called for the run of a name. Where another run left such a
    thing, whose folder of runs was another, the name is not given again.
    """

    def is_free(name: str) -> bool:
        kept = (kept_as(file, name) for file in (environment.fstab, environment.crypttab))
        return not any(os.path.lexists(path) for path in (*kept, *called_for(name)))

    settings = Settings(
        str(environment.fstab.absolute()),
        tuple(sorted(environment.only)) if environment.only is not None else None,
        environment.patience_seconds,
        direct,
    )
    try:
        run = make_numbered(folder, "-".join(Path(path).name for path in devices), is_free)
        (run / "saved").mkdir(mode=0o700)
        _write(run / file, text)
        _write(run / SETTINGS, render_document(SCHEMA, to_json(settings)))
        sync_folder(run)
        sync_folder(folder)
    except OSError as error:
        raise _no_room(folder, error, ROOM_BYTES) from None
    return run


def _write(path: Path, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(fd)


def check_owner(run: Path) -> None:
    """Raises Refused for a run's folder that someone else than root could have put there: its plan would be
    carried out by root."""
    if not is_roots_alone(run):
        raise Refused(
            t(
                "{run} is not exclusively root's, so the run is not trusted. Nothing was written.",
                run=printable(str(run), 200),
            )
        )
    refuse_open_folder(run.parent)


def is_roots_alone(folder: Path) -> bool:
    """Whether nobody but root, who runs this, can have put anything into the folder, which is no link."""
    status = folder.lstat()
    return (
        status.st_uid == os.geteuid()
        and stat.S_ISDIR(status.st_mode)
        and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def load_plan(run: Path) -> Plan:
    """The plan that a run carries out, on its drives as they were last found; raises BadInput where it cannot
    be read."""
    plan = _read_plan(run)
    known = _known_drives(run)
    if known is None:
        return remember(plan)
    plan = on_drives(plan, known.drives)
    return remember(on_drive_only(plan) if known.found else plan)


def restore_documents(run: Path) -> None:
    """Write the plan and the settings again from their backup if a file is lost, damaged or from another run.
    Needs the run's lock. Raises Failed."""
    for name, read in ((PLAN, _plan_text), (SETTINGS, _settings_text)):
        with suppress(BadInput):
            if (text := read(run)) != _text(run / name):
                replace_text(run / name, text)


def _read_plan(run: Path) -> Plan:
    return read_kept_plan(_plan_text(run), str(run / PLAN))


def _plan_text(run: Path) -> str:
    """The plan of a run, from its backup if the file is lost, damaged or from another run."""
    kept, text = backed_up(run, PLAN), _text(run / PLAN)
    if kept is None or kept == text:
        return read_file(run / PLAN)
    if text is None or _names_plan(run) == digest_of_text(kept):
        return kept
    try:
        read_kept_plan(text, str(run / PLAN))
    except BadInput:
        return kept
    return text


def plan_digest(run: Path) -> str:
    """The SHA-256 of the run's plan.json."""
    return digest_of_text(read_file(run / PLAN))


def _names_plan(run: Path) -> str:
    """The digest of its plan that the record of a run gives; empty if there is none."""
    try:
        record = load_record(run)
    except BadInput:
        return ""
    return record.of_plan if record else ""


def is_found(run: Path) -> bool:
    """Whether the run was made from the notices on its drives: what they held before is kept nowhere, and
    nothing is mounted."""
    known = _known_drives(run)
    return known is not None and known.found


def _known_drives(run: Path) -> RunDrives | None:
    for text in (_text(run / DRIVES), backed_up(run, DRIVES)):
        with suppress(BadInput):
            if text is not None:
                where = str(run / DRIVES)
                return from_json(parse_document(text, DRIVES_SCHEMA, where), RunDrives, where)
    return None


def save_drives(run: Path, drives: tuple[Identity, ...], *, found: bool) -> None:
    """Have the run know its drives as these from now on, in the plan's order; on the medium on return. Raises
    Failed, and then it knows them as before."""
    replace_document(run / DRIVES, DRIVES_SCHEMA, RunDrives(drives, found))


class RunKind(StrEnum):
    """What a run does: carry out a plan, change something for a filesystem that exists, migrate one to ext4,
    move a partition, or bring files to a volume."""

    PLAN = PLAN
    CHANGES = CHANGES
    MIGRATION = MIGRATION
    MOVE = MOVE
    BRING = BRING


def kind_of(run: Path) -> RunKind:
    """What the run does, by the document it has."""
    return next(
        (kind for kind in RunKind if kind is not RunKind.PLAN and (run / kind).exists()), RunKind.PLAN
    )


def load_environment(run: Path) -> Environment:
    """What a run was told to work with; raises BadInput where it cannot be read."""
    settings = _load_settings(run)
    return Environment(
        Path(settings.fstab),
        frozenset(settings.only) if settings.only is not None else None,
        settings.patience_seconds,
    )


def is_direct(run: Path) -> bool | None:
    """Whether a plan's steps run on the drive itself; None if that is not known."""
    try:
        return _load_settings(run).direct
    except BadInput:
        return None


def _load_settings(run: Path) -> Settings:
    where = str(run / SETTINGS)
    return from_json(parse_document(_settings_text(run), SCHEMA, where), Settings, where)


def _settings_text(run: Path) -> str:
    """The settings of a run, from their backup if the file is lost, damaged or from another run."""
    kept = backed_up(run, SETTINGS)
    return kept if kept is not None and _has_own_backup(run) else read_file(run / SETTINGS)


def _has_own_backup(run: Path) -> bool:
    """Whether the backup is of this run: its plan is the one that the record names."""
    plan, named = backed_up(run, PLAN), _names_plan(run)
    return plan is not None and named in ("", digest_of_text(plan))


def _text(path: Path) -> str | None:
    try:
        return read_file(path)
    except BadInput:
        return None


def read_file(path: Path) -> str:
    """The text of a run's file; raises BadInput where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(UNREADABLE(file=str(path), why=str(error))) from None


def is_run(folder: Path) -> bool:
    """Whether a folder is a run: any of its files is enough."""
    return any((folder / name).exists() for name in PARTS)


def list_runs(journal_dir: Path | None = None) -> tuple[Path, ...]:
    """All runs, the oldest first, by their numbers; raises Refused where one may not look, BadInput where it
    cannot be read."""
    folder = runs_folder(journal_dir)
    shown = printable(str(folder), 200)
    try:
        # `glob` would keep silent about a folder that one may not look into.
        found = [run for run in folder.iterdir() if not run.name.startswith(".")]
        return tuple(sorted((run for run in found if is_run(run)), key=in_order))
    except FileNotFoundError:
        return ()
    except PermissionError:
        raise Refused(t("Only root can read the runs in {folder}: use sudo.", folder=shown)) from None
    except NotADirectoryError:
        raise BadInput(t("{folder} is not a folder.", folder=shown)) from None
    except OSError as error:
        raise BadInput(
            t("Cannot read the runs in {folder}: {why}.", folder=shown, why=str(error.strerror))
        ) from None


def find_run(name: str | None, journal_dir: Path | None = None) -> Path:
    """The run with this name or path, or the newest one; raises BadInput where there is none."""
    known = list_runs(journal_dir)
    if name is None:
        if not known:
            raise BadInput(t("No runs in {folder}.", folder=printable(str(runs_folder(journal_dir)), 200)))
        return known[-1]
    if "/" in name and is_run(Path(name)):
        return Path(name).absolute()
    found = next((run for run in known if run.name == name), None)
    if found is None:
        raise BadInput(
            t("Unknown run {name!r}; `diskwright status` lists the runs.", name=printable(name, 60))
        )
    return found
