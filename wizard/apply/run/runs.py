"""The folders of runs: create, find and check them, and load their documents and settings."""

import errno
import fcntl
import os
import re
import shlex
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from msgspec import Struct

from wizard.apply.engine.record import load_record
from wizard.apply.run import backup_store, journal
from wizard.apply.run.process import opened, refused
from wizard.apply.system.edited_file import kept_as
from wizard.documents import codec
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.geometry import Identity
from wizard.model.said import MIB, Sentence, t
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.probe.host.sysfs import filesystem_of
from wizard.process.program import remember

OPEN_JOURNAL = Sentence(
    "The journal cannot be in {folder}: users other than root could replace it, or its "
    "path is not real. Nothing was written. Name a folder only root can write to with "
    "--journal DIR."
)

SCHEMA = "diskwright.run/1"
ROOM_BYTES = 4 * MIB
"""Space to reserve besides the saved regions, for the plan, the journal and command output."""

STATE = Path("/var/lib/diskwright")
"""The default folder of persistent state; see DISKWRIGHT_STATE."""

PLAN, CHANGES, MIGRATION = "plan.json", "changes.json", "migration.json"
MOVE, BRING = "move.json", "bring.json"
SETTINGS = "run.json"

DRIVES, DRIVES_SCHEMA = "drives.json", "diskwright.drives/1"
"""The drives of a run, if their device names differ from the plan."""

PARTS = (journal.FILE, PLAN, CHANGES, MIGRATION, MOVE, BRING, journal.RECORD, *journal.BACKUPS)
"""Files that identify a folder as a run."""

IN_MEMORY = frozenset({"tmpfs", "ramfs", "rootfs", "devtmpfs", "overlay", "squashfs"})


class Settings(Struct, frozen=True):
    """Settings for resume and undo; the document run.json. `direct`: a plan's steps run directly on the
    drive; None for other kinds of runs and older versions."""

    fstab: str
    only: frozenset[str] | None
    patience_seconds: float
    direct: bool | None = None


class RunDrives(Struct, frozen=True):
    """The drives of a run as last found; the document drives.json. `found`: the folder was lost and rebuilt
    from recovery labels."""

    drives: tuple[Identity, ...]
    found: bool = False


def runs_folder(journal_dir: Path | None = None) -> Path:
    """Return the folder of all runs: `journal_dir`, $DISKWRIGHT_STATE/runs or /var/lib/diskwright/runs."""
    return journal_dir or Path(os.environ.get("DISKWRIGHT_STATE") or STATE).absolute() / "runs"


def run_argument(run: Path) -> str:
    """Return the argument that selects a run: its name in the default folder, else its quoted path."""
    whole = run.absolute()
    return run.name if whole.parent == STATE / "runs" else shlex.quote(printable(str(whole), 4000))


def command_on(way: str, run: Path) -> str:
    """Return the command line for an action on a run."""
    return " ".join(("sudo", "diskwright", way, run_argument(run)))


def check_room(folder: Path, needed_bytes: int, *, make: bool) -> None:
    """Check for enough free space by allocating and releasing it. Without `make`, only compare the free
    space. Raises Refused."""
    needed = needed_bytes + ROOM_BYTES
    try:
        if make:
            make_private(folder)
        existing = existing_above(folder)
        refuse_open_folder(existing)
        status = os.statvfs(existing)
        if status.f_bavail * status.f_frsize < needed:
            # Do not try to allocate: other programs would run out of space until it fails.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if make:
            with TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, needed)
    except OSError as error:
        raise no_room(folder, error, needed) from None


def existing_above(folder: Path) -> Path:
    """Return the folder, or the nearest parent that exists."""
    return next(above for above in (folder.absolute(), *folder.absolute().parents) if above.exists())


def make_private(folder: Path) -> None:
    """Create all missing folders of a path with mode 0700: a writable parent would let others replace the
    folder."""
    for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def refuse_open_folder(folder: Path) -> None:
    """Raises Refused if any user can replace files in the folder or the parents."""
    real = folder.resolve()
    for above in (real, *real.parents):
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Refused(OPEN_JOURNAL(folder=folder))


def no_room(folder: Path, error: OSError, needed_bytes: int) -> Refused:
    """Return the refusal of a folder in which a run cannot be created."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Refused(
        t(
            "The journal cannot be in {folder}: {why}. Nothing was written. Free some "
            "space, or name a folder on another mounted volume with --journal DIR.",
            folder=folder,
            why=t("not enough space for {needed:exact}", needed=needed_bytes) if is_full else error,
        )
    )


def doubts_about(folder: Path) -> tuple[str, ...]:
    """Return warnings about a journal in this folder, which may not exist yet; empty if it survives a power
    cut."""
    doubt = Sentence(
        "{folder} is in memory: after a power cut, this run could be neither resumed "
        "nor undone. Name a folder on another mounted volume with --journal DIR."
    )
    return (str(doubt(folder=folder)),) if filesystem_of(str(folder.resolve())) in IN_MEMORY else ()


COUNTER = "counter"
"""The file with the highest run number so far, so the numbers of deleted runs are not reused."""

NUMBERED = re.compile(r"(\d{4,7})-")


def in_order(run: Path) -> tuple[int, str]:
    """Return the number at the start of a run's name, 0 if there is none, and the name: a sort key, oldest
    first."""
    found = NUMBERED.match(run.name)
    return int(found[1]) if found else 0, run.name


def make_run(
    folder: Path,
    devices: Sequence[str],
    file: str,
    text: str,
    environment: backup_store.Environment,
    *,
    direct: bool | None = None,
) -> Path:
    """Create the folder of a new run, numbered and named after its devices, with the document in `file`.
    Raises Refused.

    A name is skipped if another run, perhaps in another folder of runs, left copies of fstab or crypttab. The
    number is synced before the folder is created.
    """
    names, tables = "-".join(Path(path).name for path in devices), (environment.fstab, environment.crypttab)
    settings = Settings(
        str(environment.fstab.absolute()),
        environment.only,
        environment.patience_seconds,
        direct,
    )
    try:
        with opened(folder, os.O_RDONLY | os.O_DIRECTORY) as fd:
            fcntl.flock(fd, fcntl.LOCK_EX)
            last = ""
            # If the counter is missing or damaged, only existing runs are counted.
            with suppress(FileNotFoundError, UnicodeDecodeError):
                last = (folder / COUNTER).read_text(encoding="ascii").strip()
            number = int(last) if re.fullmatch(r"\d{1,7}", last, re.ASCII) else 0
            number = max(number, *(in_order(run)[0] for run in folder.iterdir()), 0) + 1
            while any(os.path.lexists(kept_as(table, f"{number:04}-{names}")) for table in tables):
                number += 1
            backup_store.replace_durably(folder / COUNTER, f"{number}\n".encode())
            run = folder / f"{number:04}-{names}"
            run.mkdir(mode=0o700)
        backup_store.write_durably(run / file, text.encode(), os.O_EXCL)
        settings_text = codec.render_document(SCHEMA, settings)
        backup_store.write_durably(run / SETTINGS, settings_text.encode(), os.O_EXCL)
        journal.sync_folder(run)
        journal.sync_folder(folder)
    except OSError as error:
        raise no_room(folder, error, ROOM_BYTES) from None
    return run


def check_owner(run: Path) -> None:
    """Raises Refused if a user other than root may have created the run's folder."""
    status = run.lstat()
    is_own = status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode)
    if not is_own or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise refused(t("{run} is not exclusively root's, so the run is not trusted.", run=run))
    refuse_open_folder(run.parent)


def is_trusted(run: Path) -> bool:
    """Return True if no other user can have created or changed the run's folder."""
    with suppress(OSError, Refused):
        check_owner(run)
        return True
    return False


def load_plan(run: Path) -> Plan:
    """Load the plan of a run, with the drives as last found. Raises BadInput."""
    plan, saved = PLANS.read_kept(_plan_text(run), str(run / PLAN), own=is_trusted(run)), _saved_drives(run)
    if saved is not None:
        plan = plan.on_drives(saved.drives)
        plan = plan.on_drive_only() if saved.found else plan
    with suppress(BadInput):
        plan = plan.with_current_texts(load_environment(run).fstab)
    return remember(plan)


def restore_documents(run: Path) -> None:
    """Write the plan and the settings again from their backup if they are lost, damaged or from another run.
    Requires the run's lock. Raises Failed."""
    for name, read in ((PLAN, _plan_text), (SETTINGS, _settings_text)):
        with suppress(BadInput):
            if (text := read(run)) != backup_store.text_of(run / name):
                backup_store.replace_text(run / name, text)


def _plan_text(run: Path) -> str:
    """Return the plan document, from the backup if the file is lost, damaged or from another run."""
    kept, text = backup_store.backed_up(run, PLAN), backup_store.text_of(run / PLAN)
    if kept is None or kept == text:
        return backup_store.read_file(run / PLAN)
    if text is None or _recorded_digest(run) == backup_store.digest_of_text(kept):
        return kept
    try:
        PLANS.read_kept(text, str(run / PLAN), own=is_trusted(run))
    except BadInput:
        return kept
    return text


def plan_digest(run: Path) -> str:
    """Return the SHA-256 of the run's plan.json."""
    return backup_store.digest_of_text(backup_store.read_file(run / PLAN))


def _recorded_digest(run: Path) -> str:
    """Return the plan's digest according to the run's record; empty without a record."""
    try:
        record = load_record(run)
    except BadInput:
        return ""
    return record.of_plan if record else ""


def is_found(run: Path) -> bool:
    """Return True if the run was rebuilt from recovery labels. Then no old contents are saved, and nothing is
    mounted."""
    saved = _saved_drives(run)
    return saved is not None and saved.found


def _saved_drives(run: Path) -> RunDrives | None:
    for text in (backup_store.text_of(run / DRIVES), backup_store.backed_up(run, DRIVES)):
        with suppress(BadInput):
            if text is not None:
                return codec.parse_document(text, DRIVES_SCHEMA, RunDrives, str(run / DRIVES))
    return None


def save_drives(run: Path, drives: tuple[Identity, ...], *, found: bool) -> None:
    """Save the current device names of the run's drives, in the plan's order. Raises Failed."""
    backup_store.replace_document(run / DRIVES, DRIVES_SCHEMA, RunDrives(drives, found))


def load_environment(run: Path) -> backup_store.Environment:
    """Load the fstab, drives and patience of a run. Raises BadInput."""
    settings = _load_settings(run)
    return backup_store.Environment(
        Path(settings.fstab),
        settings.only,
        settings.patience_seconds,
    )


def is_direct(run: Path) -> bool | None:
    """Return True if a plan's steps run directly on the drive, or None if unknown."""
    try:
        return _load_settings(run).direct
    except BadInput:
        return None


def _load_settings(run: Path) -> Settings:
    return codec.parse_document(_settings_text(run), SCHEMA, Settings, str(run / SETTINGS))


def _settings_text(run: Path) -> str:
    """Return the settings document, from the backup if the file is lost, damaged or from another run."""
    kept, plan = (backup_store.backed_up(run, name) for name in (SETTINGS, PLAN))
    # The backup belongs to this run if the record names its plan.
    if kept is None or plan is None or _recorded_digest(run) not in ("", backup_store.digest_of_text(plan)):
        return backup_store.read_file(run / SETTINGS)
    return kept


def _is_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in PARTS)


def list_runs(journal_dir: Path | None = None) -> tuple[Path, ...]:
    """Return all runs, oldest first. Raises Refused without permission, BadInput if unreadable."""
    folder = runs_folder(journal_dir)
    try:
        # `glob` would silently skip a folder without permission.
        found = [run for run in folder.iterdir() if not run.name.startswith(".")]
        return tuple(sorted(filter(_is_run, found), key=in_order))
    except FileNotFoundError:
        return ()
    except PermissionError:
        raise Refused(t("Only root can read the runs in {folder}: use sudo.", folder=folder)) from None
    except OSError as error:
        raise BadInput(UNREADABLE(file=folder, why=error)) from None


NO_RUNS = Sentence("No runs in {folder}.")


def find_run(name: str | None, journal_dir: Path | None = None) -> Path:
    """Return the run with this name or path, or the newest one. Raises BadInput."""
    runs = list_runs(journal_dir)
    if name is None:
        if not runs:
            raise BadInput(NO_RUNS(folder=runs_folder(journal_dir)))
        return runs[-1]
    if "/" in name and _is_run(Path(name)):
        return Path(name).absolute()
    found = next((run for run in runs if run.name == name), None)
    if found is None:
        raise BadInput(t("Unknown run {name!r}; `diskwright status` lists the runs.", name=name))
    return found
