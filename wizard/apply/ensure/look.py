"""Compare one drive, or the drives of one volume, with the request, and find the changes. Read-only."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.engine.record import UNKNOWN_DATA
from wizard.apply.ensure import compare_mounts, converge, layers
from wizard.apply.ensure.leftover import leftover
from wizard.apply.plan.job import measure, why_direct
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.runs import runs_folder
from wizard.apply.settings.existing_filesystem import lines_at_boot, openings
from wizard.apply.system.fstab import key_of
from wizard.filesystems.registry import MADE
from wizard.model import ensure, layout
from wizard.model.errors import BadInput, DiskwrightError, FrozenStruct, Refused
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import Message, reason_of, t, tn
from wizard.plan.changes import Changes
from wizard.plan.desired_state import differences, document
from wizard.plan.plan import Plan
from wizard.plan.refusals import refuse_content, unread_content
from wizard.plan.request import volume_request
from wizard.plan.request.plan_request import Mode
from wizard.plan.request.roles import SYSTEM_WORKLOAD, role_by_type
from wizard.probe.machine import list_drive_paths, probe_machine


class DriveAssessment(FrozenStruct):
    """The comparison of an entry with the drives.

    `said` are the differences, or the reason to refuse. `drives` are in the document's order; empty if
    ambiguous. `before` and `after` describe them. `document` is to be applied: a plan, or changes that mount
    an existing volume or add it to fstab. `run` is to be resumed. `replaces` is True if existing contents are
    lost, which the entry allows. `replace` is the value that would allow it, if only that is missing.
    """

    wanted: ensure.WantedDrive
    said: tuple[Message | str, ...] = ()
    drives: tuple[Drive, ...] = ()
    before: tuple[ensure.Shape, ...] = ()
    after: tuple[ensure.Shape, ...] = ()
    document: Plan | Changes | None = None
    run: Path | None = None
    replaces: bool = False
    replace: str = ""

    @property
    def can_change(self) -> bool:
        """True if a document or run makes the drive match."""
        return self.document is not None or self.run is not None

    @property
    def is_as_wanted(self) -> bool:
        """True if the drive already matches the request."""
        return not (self.said or self.can_change)

    @property
    def is_refused(self) -> bool:
        """True if the necessary changes are not allowed."""
        return not (self.is_as_wanted or self.can_change)

    def refused(self, why: Message | str) -> "DriveAssessment":
        """Return the comparison with this reason to refuse."""
        return replace(self, said=(why,), document=None, run=None)

    @property
    def paths(self) -> tuple[str, ...]:
        """The nodes of the drives."""
        return tuple(drive.path for drive in self.drives)

    @property
    def name(self) -> str:
        """The name of the drive in messages."""
        return self.wanted.name or next(iter(self.paths), str(t("a drive")))


def look_at(wanted: ensure.WantedDrive, where: compare_mounts.Where) -> DriveAssessment:
    """Compare an entry with the drives. Errors become part of the result."""
    try:
        machine, drives = resolve_drives(wanted.matches)
    except DiskwrightError as error:
        return DriveAssessment(wanted, (reason_of(error),))
    try:
        return _compare(converge.DriveTarget(wanted, machine, drives, where))
    except DiskwrightError as error:
        return DriveAssessment(wanted, (reason_of(error),), drives, _shapes(drives))


def _compare(aim: converge.DriveTarget) -> DriveAssessment:
    drives = aim.drives
    if unread := next((drive for drive in drives if unread_content(drive)), None):
        raise Refused(
            t(
                "Some contents of {drive} are unreadable, so the drive may not be empty. See "
                "`diskwright inspect`.",
                drive=unread.path,
            )
        )
    ideal = aim.ideal()
    key_of(ideal)
    after = differences.shapes_wanted(ideal)
    seen = DriveAssessment(aim.wanted, (), drives, _shapes(drives), after)
    if left := leftover(aim, ideal):
        said, run = left
        return replace(seen, said=(said,), run=run)
    for drive in drives:
        if drive.waiting is not None and drive.waiting.bare:
            refuse_content(drive, chosen=False)
    if all(drive.is_empty for drive in drives):
        return _to_make(seen, aim.planned(None), aim.where)
    different = differences.layout_differences(ideal, *drives)
    if not different:
        return _compare_volumes(seen, ideal, aim)
    unknown = (
        UNKNOWN_DATA(drive=drive.path, byte=drive.data_at_bytes)
        for drive in drives
        if drive.data_at_bytes is not None
    )
    reaching = layers.reaching_faults(drives)
    seen = replace(seen, said=(*unknown, *different, *reaching))
    if reaching:
        return seen
    held = tuple(drive for drive in drives if not drive.is_empty)
    if not _may_lose(seen, held):
        return _to_replace(seen, held, held)
    return _to_make(replace(seen, replaces=True), aim.planned(Mode.REPLACE), aim.where)


def _compare_volumes(seen: DriveAssessment, ideal: Plan, aim: converge.DriveTarget) -> DriveAssessment:
    """Compare drives whose tables and labels match. Other differences are never resolved by replacing, since
    they may be a defect of a volume in use."""
    if faults := layers.together_faults(ideal, aim.drives):
        manually = t(
            "fix this manually: {drive:and} may contain the requested volumes, so no data is replaced",
            drive=seen.paths,
        )
        return replace(seen, said=(*faults, manually))
    said, changes, places = compare_mounts.using_of(ideal, aim.wanted.volume, aim.drives, aim.where)
    seen = replace(seen, said=said, before=_shapes(seen.drives, places))
    if changes is not None:
        return replace(seen, document=changes)
    return seen if said else replace(seen, after=seen.before)


def _to_make(seen: DriveAssessment, plan: Plan, where: compare_mounts.Where) -> DriveAssessment:
    """Rehearse what will be made, to find unrecognised data."""
    paths, folder = plan.devices, runs_folder(where.journal_dir)
    if why := why_direct(plan, folder):
        return replace(
            seen,
            said=(
                t(
                    "Cannot rehearse this on {drive:and}: {why}. Use `plan` and `apply`, which "
                    "explain the consequences.",
                    drive=paths,
                    why=why,
                ),
            ),
        )
    room = measure(plan, folder, where.environment)
    if not room.fits:
        return replace(seen, said=(room.sentence,))
    lost = tuple(
        drive for drive, blank in zip(seen.drives, room.blanks, strict=True) if not (blank and drive.is_empty)
    )
    if lost and not _may_lose(seen, lost):
        unknown = [drive for drive in lost if drive.is_empty]
        return _to_replace(replace(seen, said=room.lost), lost, unknown)
    messages = seen.said or (
        tn(
            "{drive:and} is blank; the volumes will be created",
            "{drive:and} are blank; the volume across them will be created",
            drive=paths,
            count=len(paths),
        ),
    )
    return replace(
        seen,
        said=messages,
        document=plan,
        after=differences.shapes_wanted(plan),
        replaces=not all(room.blanks),
    )


def _may_lose(seen: DriveAssessment, lost: Sequence[Drive]) -> bool:
    others = tuple(drive for drive in seen.drives if drive not in lost)
    return differences.may_replace(seen.wanted.replace, lost, others)


def _to_replace(seen: DriveAssessment, lost: Sequence[Drive], named: Sequence[Drive]) -> DriveAssessment:
    """Refuse, and add the value that allows losing the contents of drives."""
    value = differences.replace_value(*lost)
    message = tn(
        '{drive:and} has other contents, destroyed only if the file has: replace = "{value}"',
        '{drive:and} have other contents, destroyed only if the file has: replace = "{value}"',
        drive=tuple(drive.path for drive in named),
        value=value,
        count=len(named),
    )
    return replace(seen, said=(*seen.said, message), replace=value)


def _shapes(
    drives: Sequence[Drive], places: dict[str, tuple[str, ...]] | None = None
) -> tuple[ensure.Shape, ...]:
    return tuple(differences.shape_of(drive, places or {}) for drive in drives)


def resolve_drives(matches: Sequence[ensure.Match]) -> tuple[Machine, tuple[Drive, ...]]:
    """Return the machine and a different drive for each match. If all matches have paths, no other drive is
    read. Raises Refused."""
    named = [match.path for match in matches if match.path is not None]
    try:
        machine = probe_machine(named if len(named) == len(matches) else [*named, *list_drive_paths()])
    except BadInput as error:
        raise Refused(str(error)) from None
    # The prober has followed symbolic links.
    resolved = (replace(one, path=one.path and os.path.realpath(one.path)) for one in matches)
    drives = tuple(document.matching_drive(match, machine.drives) for match in resolved)
    paths = [drive.path for drive in drives]
    if duplicate := next((path for path in paths if paths.count(path) > 1), None):
        raise Refused(
            t("Two matches select {drive}. Each match must select a different drive.", drive=duplicate)
        )
    return machine, drives


def as_found(device: str, where: compare_mounts.Where) -> DriveAssessment:
    """Describe an existing drive as an entry, and compare the drive with that entry. Raises Refused for
    content that no entry describes."""
    _, (drive,) = resolve_drives((ensure.Match(path=device),))
    if drive.signatures or not drive.partitions or drive.table_kind not in ("gpt", "mbr"):
        raise Refused(document.NO_TABLE(drive=drive.path))
    volumes = tuple(_found(drive, part, where.environment) for part in drive.partitions)
    exact = ensure.WantedDrive(
        document.match_of(drive),
        volumes,
        name=volumes[0].label or "",
        table="gpt" if drive.table_kind == "gpt" else "mbr",
    )
    # The last partition may end elsewhere than `ensure` would place its end.
    last = replace(volumes[-1], size=volume_request.REST)
    looks = [look_at(one, where) for one in (replace(exact, volume=(*volumes[:-1], last)), exact)]
    return next((look for look in looks if look.is_as_wanted), looks[-1])


def _found(drive: Drive, part: Partition, environment: Environment) -> ensure.WantedVolume:
    held, layer = part.signatures, differences.opened_on(drive, part.path)
    encryption = None
    if part.filesystem == differences.CONTAINER:
        keys = [one.key for one in openings(drive, part.path, environment.crypttab)]
        if layer is None or not keys or not keys[0].startswith("/"):
            file = str(environment.crypttab)
            raise Refused(
                t("{device} is encrypted: open it, with its key file in {file}.", device=part.path, file=file)
            )
        held, encryption = layer.signatures, layout.Encryption(part.path, "", "", 0, 0, keys[0])
    if len(held) != 1 or held[0].kind not in MADE:
        kinds = tuple(one.kind for one in held) or (t("nothing"),)
        raise Refused(
            t("{device} contains {found:and}, which no entry describes.", device=part.path, found=kinds)
        )
    (one,) = held
    at_boot = (
        compare_mounts.lines_of(layer, environment)
        if layer
        else lines_at_boot(drive, part.path, environment.fstab)
    )
    mounts = [(_subvolume(line.options), line.mount_point) for line in at_boot]
    place = next((place for name, place in mounts if not name), None)
    role = role_by_type(part.type, one.kind)
    volume = layout.Volume(
        SYSTEM_WORKLOAD if role else document.likely_workload(one.kind, one.label),
        part.number,
        part.path,
        one.kind,
        one.uuid or "",
        one.label or "",
        (layout.NO_PLACE if at_boot else None) if one.kind == "swap" else place,
        (),
        at_boot[0].options if at_boot else (),
        role=role,
        encryption=encryption,
        subvolumes=tuple(layout.Subvolume(name, place) for name, place in mounts if name),
    )
    # Without `writable`, the owner is not compared.
    return replace(document.volume_entry(volume, volume_request.size_text(part.size_bytes)), writable=None)


def _subvolume(options: Sequence[str]) -> str:
    """Return the subvolume in mount options, without a leading slash, or an empty string."""
    return next((one.partition("=")[2].lstrip("/") for one in options if one.startswith("subvol=")), "")
