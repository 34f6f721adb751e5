"""What LVM's own tools say of volume groups and what lies in them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.layout.steps.commands import LVM_WITHOUT_UDEV
from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.model.said import t
from wizard.tools.program import Result, find, run

Do = Callable[[Sequence[str]], Result]
"""Runs a command to its end and says what came of it; raises Failed."""

DEVICES = Path("/etc/lvm/devices/system.devices")

PROGRAMS = frozenset(
    {"pvcreate", "vgcreate", "lvcreate", "lvchange", "vgchange", "vgremove", "lvs", "pvs", "vgs"}
)
"""LVM's programs that are run."""

ALONE = (
    "activation{{udev_sync=0 udev_rules=0 monitoring=0}} backup{{backup=0 archive=0}} "
    'devices{{use_devicesfile=0 hints="none" obtain_device_list_from_udev=0 '
    'external_device_info_source="none" filter={only} global_filter={only}}} '
    "global{{event_activation=0}}"
)
"""LVM's settings for stand-ins (lvm.conf(5)): it looks at nothing else, and writes neither its copies of a
group's records nor the list of the devices that it uses."""


def alone_on(nodes: Sequence[str], argv: Sequence[str]) -> tuple[str, ...]:
    """The argument list of one of LVM's programs that is to look at these drives and their partitions only,
    and to leave no trace elsewhere; any other as it is. Pure."""
    if argv[0] not in PROGRAMS:
        return tuple(argv)
    only = ", ".join(f'"a|^{node}(p[0-9]+)?$|"' for node in nodes)
    own = [word for word in argv[1:] if word not in LVM_WITHOUT_UDEV]
    return (argv[0], "--config", ALONE.format(only=f'[{only}, "r|.*|"]'), *own)


def note_devices(parts: Sequence[str]) -> None:
    """Have LVM look at these partitions from now on, where it goes by a list of devices (lvmdevices(8)):
    pvcreate, which would have said so, ran on stand-ins."""
    if DEVICES.exists() and find("lvmdevices"):
        for part in parts:
            # A list that is not in force takes nothing, and need not.
            run(("lvmdevices", "--yes", "--adddev", part), seconds=LOOK_SECONDS, accept=range(256))


def physical_volumes_of(group: str, do: Do) -> dict[str, str]:
    """The physical volumes of a group, by their nodes, with their UUIDs."""
    said = do(("pvs", "--noheadings", "--separator", " ", "--options", "pv_name,pv_uuid,vg_name")).output
    rows = [line.split() for line in said.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == group}


def logical_names_in(group: str, do: Do) -> list[str]:
    """The names of a group's logical volumes; none where there is no such group."""
    said = do(("lvs", "--noheadings", "--separator", " ", "--options", "vg_name,lv_name")).output
    rows = [line.split() for line in said.splitlines()]
    return [row[1] for row in rows if len(row) == 2 and row[0] == group]


def asked(kind: str, fields: Sequence[str], what: str, do: Do) -> tuple[dict[str, str], ...]:
    """The rows that `pvs`, `vgs` or `lvs` has of `what`, with sizes in bytes. Raises Failed."""
    words = ("--reportformat", "json", "--units", "b", "--nosuffix", "--options", ",".join(fields))
    return rows(kind.removesuffix("s"), do((kind, *words, what)).output)


def rows(kind: str, text: str) -> tuple[dict[str, str], ...]:
    """The rows of LVM's JSON, by field; raises Failed for what is none. Pure."""
    try:
        return tuple(
            {str(key): str(value) for key, value in row.items()}
            for row in json.loads(text)["report"][0][kind]
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Failed(t("LVM said what diskwright cannot read: {said}", said=printable(text, 80))) from None
