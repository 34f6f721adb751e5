"""Check that a copy still fits source and target, and start the run. Refuses in doubt.

The checks are read-only.
"""

from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.copy import survey
from wizard.apply.copy.places import device_of, drives_under, ground_of, held_on, refused, shown, uuid_of
from wizard.apply.copy.replace_source import check_place
from wizard.apply.copy.survey import check_room_there
from wizard.apply.plan.identity_check import drive_fault
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.job import begin_new, check_root
from wizard.apply.run.process import lock_drives, unlock
from wizard.apply.run.runs import BRING, check_room, make_run, runs_folder
from wizard.apply.settings.existing_filesystem import CLONED
from wizard.apply.settings.guard import check_file, clones_of, nodes_with
from wizard.filesystems.registry import KINDS
from wizard.model.changes import Bring
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.said import t
from wizard.plan.copy import check_bring, render_bring
from wizard.probe.machine import probe_machine


def drives_now(bring: Bring) -> tuple[str, ...]:
    """The drives that are written to, by the names that they have now; raises Refused unless the target is
    the filesystem that it was, mounted where it was, and can be written to."""
    to = bring.target
    ground = ground_of(Path(to.place))
    device = device_of(ground.mounted)
    other = t(
        "The filesystem at {place} is not the {title} target of this copy. This attempt made no changes.",
        place=shown(to.place),
        title=KINDS[to.filesystem].title,
    )
    if device is None or str(ground.folder) != ground.mounted.mount_point:
        raise Refused(other)
    held = held_on(device)
    if (held.filesystem, held.uuid) != (to.filesystem, to.uuid):
        raise Refused(other)
    if "ro" in ground.mounted.options:
        raise refused(survey.READ_ONLY(path=shown(to.place)))
    return _own_drives(bring, held.node)


def _own_drives(bring: Bring, node: str) -> tuple[str, ...]:
    """Return the drives that the target is on. Raises Refused if none of them is the drive that it was on,
    or a copy of the target is attached, too."""
    paths = drives_under(node)
    drives = probe_machine(paths, seconds=LOOK_SECONDS).drives
    # The target's UUID was compared before.
    faults = [drive_fault(bring.drive, drive, lambda: bool(bring.target.uuid) or None) for drive in drives]
    if None not in faults:
        raise refused(
            t(
                "{device} is not on the target drive of this copy: {fault}.",
                device=node,
                fault=next(iter(faults), None) or "",
            )
        )
    if clones := clones_of(node, bring.target.uuid):
        raise refused(CLONED(devices=(node, *clones), uuid=bring.target.uuid))
    return paths


def stands_as_copied(bring: Bring) -> bool:
    """Whether the target is mounted where the files were brought to, and the source where they came from: the
    one has not taken the place of the other yet."""
    try:
        drives_now(bring)
        return uuid_of(ground_of(Path(bring.source.path)).mounted) == bring.source.uuid
    except (Refused, BadInput):
        return False


def drives_anywhere(bring: Bring) -> tuple[str, ...]:
    """The drives that the target is on, wherever it is mounted; none where it is not attached."""
    to = bring.target
    for path in (to.device, *nodes_with(to.uuid)):
        with suppress(BadInput):
            held = held_on(path)
            if (held.filesystem, held.uuid) == (to.filesystem, to.uuid):
                return _own_drives(bring, held.node)
    return ()


def check_own(bring: Bring, environment: Environment, *, anywhere: bool = False) -> tuple[str, ...]:
    """The drives as `drives_now` gives them, or where only fstab is left to be changed, as `drives_anywhere`
    does; raises Refused for one that this run may not touch, too."""
    drives = drives_anywhere(bring) if anywhere else drives_now(bring)
    if bring.takes is not None:
        check_file(bring.takes.edit, environment)
    for drive in drives:
        if environment.only is not None and drive not in environment.only:
            raise refused(t("This run may not write to {drive}.", drive=drive))
    return drives


def check_new(bring: Bring) -> None:
    """Raises Refused where it does not fit any more."""
    drives_now(bring)
    check_room_there(bring)
    check_place(bring)


LISTED_BYTES = 512
"""What an entry takes at most of the lists in the run's folder, packed as they are."""


def check_token(bring: Bring, token: str) -> None:
    """Raises Refused unless the token is the drive's, letter for letter."""
    if token != bring.drive.token:
        wanted, given = printable(bring.drive.token), printable(token)
        raise Refused(
            t(
                "{given} does not confirm the drive of {device}; use --confirm {token}. Nothing was written.",
                device=bring.target.device,
                token=wanted,
                given=given,
            )
        )


def preflight_bring(bring: Bring, *, journal_dir: Path | None, environment: Environment) -> None:
    """Everything that must hold before it may be begun; raises Refused or BadInput for the first thing that
    does not."""
    unlock(_cleared(bring, runs_folder(journal_dir), environment, make=False))


def start_bring(bring: Bring, token: str, *, journal_dir: Path | None, environment: Environment) -> Path:
    """Begin a run and give its folder; a detached process copies. Raises as `preflight_bring` does."""
    check_token(bring, token)
    folder = runs_folder(journal_dir)
    drive_locks = _cleared(bring, folder, environment, make=True)
    said = t(
        "Copying {source} to {folder}.", source=shown(bring.source.path), folder=shown(bring.target.folder)
    )
    make = partial(make_run, folder, (bring.target.device,), BRING, render_bring(bring), environment)
    return begin_new(make, said, drive_locks)


def _cleared(bring: Bring, folder: Path, environment: Environment, *, make: bool) -> tuple[int, ...]:
    check_bring(bring)
    check_root()
    check_room(folder, bring.amount.entries * LISTED_BYTES, make=make)
    return lock_drives(check_own(bring, environment), partial(check_new, bring))
