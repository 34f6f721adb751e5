"""Keep a converted filesystem: delete the undo data, and mount the filesystem as at the next boot."""

from dataclasses import replace
from pathlib import Path

from wizard.apply.block.devices import facts_on
from wizard.apply.conversion.guard import drive_now, planned_filesystem
from wizard.apply.conversion.run import KEEPING
from wizard.apply.conversion.state import drop_folder, saved_in
from wizard.apply.conversion.verify import MigratingSite
from wizard.apply.engine.record import Phase, load_record, save_record
from wizard.apply.run.backup_store import mark_durably
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.run.runs import load_environment
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.apply.system.mounts import is_mount_of, mounted_at, read_mounts
from wizard.model.errors import Failed, printable
from wizard.model.run import Event
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence, join, t
from wizard.plan.conversion import Migration

NOT_MOUNTED = t("Not mounted:")
CAN_BE_MOUNTED = Sentence("{device} can be mounted now.")
MOUNT_FAILED = Sentence("Cannot mount {device} at {place}:")

NOT_AT_BOOT = frozenset({"noauto"})


def check_held(migration: Migration) -> None:
    """Raises Refused unless the device contains the filesystem of the conversion. Undo data of an absent
    filesystem is not deleted."""
    drive_now(migration)
    planned_filesystem(migration, NOTHING_WRITTEN)


def keep(site: MigratingSite) -> tuple[Event, str]:
    """Delete the undo data and mount the filesystem. Return the last event and message. Raises
    DiskwrightError."""
    check_held(site.migration)
    mark_durably(site.run / KEEPING)
    message = drop_saved(site.run)
    advice = t(
        "`diskwright tune {device} --workload ID` suggests options for the workload "
        "and can set them; `diskwright workloads` lists the IDs.",
        device=site.migration.device,
    )
    # Undo is impossible now, even if mounting fails.
    return Event.KEPT, f"{message} {_mount(site)} {advice}"


def drop_saved(run: Path) -> Message:
    """Delete the undo data of a run, and return a result message. Raises Failed."""
    record = load_record(run)
    if record is None:
        return t("The run has no undo data.")
    folder = saved_in(run)
    freed = sum(file.stat().st_blocks * KERNEL_SECTOR_BYTES for file in folder.glob("*"))
    if record.phase is Phase.RELEASED:
        save_record(run, replace(record, phase=Phase.KEPT))
    drop_folder(folder)
    return t("Deleted the undo data and freed {freed:exact}.", freed=freed)


def _mount(site: MigratingSite) -> Message | str:
    """Mount the filesystem as at the next boot. Return a message, also if that fails."""
    device, environment, uuid = site.migration.device, load_environment(site.run), site.migration.before.uuid
    try:
        if facts_on(device).uuid != uuid:
            return t(
                "{device} now contains a filesystem other than {uuid} and was not mounted.",
                device=device,
                uuid=uuid,
            )
    except Failed as error:
        return f"{NOT_MOUNTED} {error}"
    if mounted := next((one for one in read_mounts() if is_mount_of(one, device)), None):
        place = printable(mounted.mount_point, 200)
        if "ro" in mounted.options:
            return t(
                "{device} is mounted read-only at {place}. For write access, run `umount "
                "{place}` and mount again.",
                device=device,
                place=place,
            )
        message = t("{device} is mounted at {place}.", device=device, place=place)
        return message if mounted.filesystem == "ext4" else join(message, t("The next mount uses ext4."))
    if not environment.is_running_system:
        return CAN_BE_MOUNTED(device=device)
    text = read_text(environment.fstab)
    # Other lines may have been added above.
    numbers = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line in {edit.new for setting in site.migration.settings for edit in setting.lines}
    ]
    lines = parse(text, str(environment.fstab))
    line = next(
        (line for line in lines if line.number in numbers and not NOT_AT_BOOT & {*line.options}), None
    )
    if line is None or not line.mount_point.startswith("/") or mounted_at(line.mount_point):
        return CAN_BE_MOUNTED(device=device)
    result = site.command(
        ("mount", "-t", "ext4", "-o", ",".join(line.options) or "defaults", device, line.mount_point),
        accept=range(256),
    )
    place = printable(line.mount_point, 200)
    if result.status:
        return f"{MOUNT_FAILED(device=device, place=place)} {result.last_words}"
    return t(
        "{device} is mounted at {place} with the options from {fstab}.",
        device=device,
        place=place,
        fstab=str(environment.fstab),
    )
