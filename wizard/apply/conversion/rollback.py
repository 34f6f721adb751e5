"""Determine from the superblock whether a conversion can still be undone. Read-only."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from wizard.apply.block.devices import FIRST_BYTES
from wizard.apply.conversion.state import Head, filesystem_of, phase_of
from wizard.apply.engine.record import Phase
from wizard.apply.run.job import Rollback, RollbackState
from wizard.apply.run.journal import RunState, state, was_done
from wizard.apply.run.load import load_migration
from wizard.apply.run.runs import run_argument
from wizard.ext4.assessment import was_mounted_since
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import BadInput
from wizard.model.said import join, t
from wizard.plan.conversion import Migration

BY_UUID = Path("/dev/disk/by-uuid")
LOOK_SECONDS = 10.0
"""Time for a sleeping drive to spin up. A list of runs does not wait longer for a drive."""

OVER = frozenset({RunState.RUNNING, RunState.UNDONE, RunState.KEPT})


def window_of(run: Path) -> RollbackState | None:
    """Return how far a run can be undone, or None unless the run has ended, neither kept nor undone, and has
    written to the filesystem. A missing drive is not an error."""
    try:
        return None if state(run) in OVER else undo_state(run, load_migration(run))
    except BadInput:
        return None


def why_closed(run: Path, migration: Migration) -> str:
    """Return why a run certainly cannot be undone, or empty. Raises like `undo_state`."""
    window = undo_state(run, migration)
    return window.sentence if window is not None and window.back is Rollback.CLOSED else ""


def can_be_undone(run: Path, migration: Migration) -> bool:
    """Return True if a run, which may be in progress, can certainly be undone until the filesystem is mounted
    for writing."""
    try:
        window = undo_state(run, migration)
    except BadInput:
        return False
    return window is not None and window.back is Rollback.OPEN


def undo_state(run: Path, migration: Migration) -> RollbackState | None:
    """Return how far a run can be undone, which may be in progress, or None if use of the filesystem does not
    matter. Raises BadInput if the run's files are damaged."""
    # Undo data of other phases does not depend on mounts for writing.
    if phase_of(run) not in (Phase.RELEASING, Phase.RELEASED):
        return None
    found, why = _first_bytes(migration)
    if why:
        return RollbackState(
            Rollback.UNKNOWN, str(t("It is unknown if undo is still possible: {why}.", why=why))
        )
    since = _closed_since(run, found)
    return (
        RollbackState(Rollback.OPEN, str(t("Undo is possible until the filesystem is mounted for writing.")))
        if since is None
        else RollbackState(Rollback.CLOSED, _closed_sentence(run, migration, since), since)
    )


def _closed_since(run: Path, first: bytes) -> int | None:
    """Return the time of a mount for writing since the run, 0 for another write, or None if unchanged."""
    filesystem = filesystem_of(run)
    now, left = read_ext(first[START_BYTES:]), read_ext(filesystem.new[START_BYTES:])
    if now is not None and left is not None and was_mounted_since(now, left):
        return now.mounted
    return 0 if filesystem.head(first) is Head.OTHER else None


def _closed_sentence(run: Path, migration: Migration, since: int) -> str:
    device, name = migration.device, run_argument(run)
    closed = t("{device} was written to since, so undo is no longer possible.", device=device)
    if since:
        when = datetime.fromtimestamp(since, UTC)
        closed = t(
            "{device} was mounted for writing on {day} at {time} UTC, so undo is no longer possible.",
            device=device,
            day=f"{when:%Y-%m-%d}",
            time=f"{when:%H:%M}",
        )
    command = (
        t("`diskwright keep {run}` frees the space used by undo data.", run=name)
        if was_done(run)
        else t("`diskwright resume {run}` completes the remaining steps.", run=name)
    )
    return str(join(closed, command))


def _first_bytes(migration: Migration) -> tuple[bytes, str]:
    """Return the first bytes of the filesystem wherever it is now, or the reason why they cannot be read."""
    why = ""
    for node in _nodes(migration):
        found, fault = _read(node)
        facts = read_ext(found[START_BYTES:]) if found else None
        if facts is not None and facts.uuid == migration.before.uuid:
            return found, ""
        why = why or fault or str(t("{node} does not contain the expected filesystem", node=node))
    return b"", why


def _nodes(migration: Migration) -> Iterator[str]:
    """Yield the planned device, then the device of udev's UUID link."""
    yield migration.device
    link = BY_UUID / migration.before.uuid
    if link.exists() and str(link.resolve()) != migration.device:
        yield str(link.resolve())


def _read(node: str) -> tuple[bytes, str]:
    """Read through the page cache, like a mounted filesystem. Gives up on a drive that does not respond."""
    answers: SimpleQueue[tuple[bytes, str]] = SimpleQueue()

    def look() -> None:
        try:
            with Path(node).open("rb", buffering=0) as device:
                answers.put((device.read(FIRST_BYTES), ""))
        except PermissionError:
            answers.put((b"", str(t("root access is required"))))
        except FileNotFoundError:
            answers.put((b"", str(t("{node} is missing", node=node))))
        except OSError as error:
            answers.put((b"", str(t("{node} cannot be read ({why})", node=node, why=str(error.strerror)))))

    Thread(target=look, daemon=True).start()
    try:
        return answers.get(timeout=LOOK_SECONDS)
    except Empty:
        return b"", str(t("{node} does not respond", node=node))
