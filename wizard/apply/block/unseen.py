"""What udev, and so whoever listens to it, is to leave alone for a while: rules in /run, where nothing
outlives a restart.

A snapshot looks just like the filesystem below it. dmsetup's --noudevrules is about one event; the next, as
when a program closes the node it wrote to, or a coldplug, would give it the links by UUID and label, and
offer it to be mounted. So a rule says at each event that nobody is to look. By their names these rules come
before all others. Source: udev(7); systemd rules.d/60-persistent-storage.rules; LVM2 udev/10-dm.rules.in and
13-dm-disk.rules.in.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK
from wizard.model.errors import DiskwrightError
from wizard.tools.program import run

RULES = Path("/run/udev/rules.d")
RULE_NAME = "00-diskwright-{}-{}.rules"
"""With the number of the process whose rule it is, and what it is about."""

RELOAD_SECONDS = 30.0

_ALONE = 'ENV{UDISKS_IGNORE}="1", ENV{SYSTEMD_READY}="0", OPTIONS:="nowatch"'
_MAPPED = (
    'SUBSYSTEM=="block", KERNEL=="dm-*", ATTR{{dm/name}}=="{name}*", '
    'ENV{{DM_UDEV_DISABLE_OTHER_RULES_FLAG}}="1", ENV{{DM_UDEV_DISABLE_DISK_RULES_FLAG}}="1", '
    'ENV{{DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG}}="1", {alone}'
)
_STORE = (
    'SUBSYSTEM=="block", KERNEL=="loop*", ATTRS{{loop/backing_file}}=="*/{folder}/*", '
    'ENV{{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}}="1", {alone}'
)


def ignore_mapped(name: str, folder: str = "") -> None:
    """Have udev ignore the device of the device mapper's with this name, those whose names begin so, and loop
    devices over files in a folder that is called `folder`, or else so, too, with their partitions, until
    `heed(name)`. To be said before any of them is made. Raises OSError where udev cannot be told.
    """
    ignore(
        name,
        [rule.format(name=name, folder=folder or name, alone=_ALONE) for rule in (_MAPPED, _STORE)],
    )


def ignore(what: str, lines: Sequence[str]) -> None:
    """Give udev these rules until `heed(what)`; on return it goes by them. Raises OSError where that cannot
    be."""
    rule = _rule(what)
    RULES.mkdir(parents=True, exist_ok=True)
    # Another process may have udev read its rules anew at any moment.
    half = rule.with_suffix(".half")
    half.write_text("\n".join(["# Gone when diskwright is done with it.", *lines, ""]))
    half.rename(rule)
    _reload()


def heed(what: str) -> None:
    """Take back what this process said with `ignore`, and what is left of others."""
    _take_away((_rule(what), *_left_rules()))


def forget_left_rules() -> None:
    """Take away the rules of processes that were killed. A device that is still there stays unseen."""
    _take_away(_left_rules())


def _rule(what: str) -> Path:
    return RULES / RULE_NAME.format(os.getpid(), what)


def _left_rules() -> tuple[Path, ...]:
    mapped = _mapped_names()
    return tuple(rule for rule in RULES.glob(RULE_NAME.format("[0-9]*", "*")) if _is_left(rule, mapped))


def _is_left(rule: Path, mapped: frozenset[str]) -> bool:
    # It takes a moment to load, and there is hardly ever such a rule.
    from psutil import pid_exists

    _, _, process, what = rule.stem.split("-", 3)
    return what not in mapped and not pid_exists(int(process))


def _mapped_names() -> frozenset[str]:
    found = set()
    for block in SYS_BLOCK.glob("dm-*"):
        # Any of them can go meanwhile.
        with suppress(OSError):
            found.add((block / "dm/name").read_text().strip())
    return frozenset(found)


def _take_away(rules: Iterable[Path]) -> None:
    there = [rule for rule in rules if rule.exists()]
    for rule in there:
        with suppress(OSError):
            rule.unlink()
    if there:
        _reload()


def _reload() -> None:
    # Where there is no udev, there is nobody to be told.
    with suppress(DiskwrightError):
        run(["udevadm", "control", "--reload"], seconds=RELOAD_SECONDS)
