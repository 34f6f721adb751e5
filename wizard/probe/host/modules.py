"""Kernel modules: which can be loaded or are built in, and whether the running kernel has those that layers
on drives need."""

import re
from pathlib import Path

from wizard.probe.facts import RawMachine
from wizard.probe.host.sysfs import text

PARTS = {"dm_mod": ("dm_crypt",), "md_mod": ("raid0", "raid1")}
"""The device mapper and md, which nothing can be built with where they are missing, and the parts of them
that are used here."""

LAYER_MODULES = tuple(name for whole, parts in PARTS.items() for name in (whole, *parts))


def listed_modules(folder: Path) -> str:
    """What `folder`, /lib/modules/RELEASE, lists as loadable and as built in (depmod(8), modules.builtin);
    empty where it has no lists."""
    return "\n".join(text(folder / name) or "" for name in ("modules.dep", "modules.builtin")).strip()


def filesystem_modules(listed: str) -> tuple[str, ...]:
    """The filesystems among modules that are listed, sorted, with underscores as in /proc/modules."""
    return tuple(sorted(_named(listed, r"kernel/fs/")))


def layer_modules(listed: str) -> tuple[str, ...]:
    """Those of LAYER_MODULES among modules that are listed."""
    found = _named(listed, r"kernel/drivers/md/")
    return tuple(name for name in LAYER_MODULES if name in found)


def has_loop(listed: str, *, shown: bool, loads_modules: bool) -> bool | None:
    """Whether the kernel has loop devices or can load them, from what is listed and whether /sys/module shows
    them, which it does also where they are built in; None where that cannot be told.
    """
    if shown or "loop" in _named(listed, r"kernel/drivers/block/"):
        return True
    return False if listed or not loads_modules else None


def _named(listed: str, below: str) -> set[str]:
    return {name.replace("-", "_") for name in re.findall(rf"(?m)^{below}(?:[\w.-]+/)*([\w-]+)\.ko", listed)}


def kernel_modules(raw: RawMachine) -> tuple[tuple[str, bool], ...]:
    """Whether the kernel has or can load each of LAYER_MODULES, and `loop`; those of which that cannot be
    told are left out.

    The device mapper and md have parameters, so that /sys/module shows them even where they are built in;
    their parts may be built in and be shown nowhere, which only the lists tell. Without lists, what is not
    there may still be loaded from a place of the distribution's own, unless the kernel loads no modules at
    all.
    """
    loops = () if raw.has_loop is None else (("loop", raw.has_loop),)
    if raw.shown_modules is None:
        return loops
    there = {*raw.shown_modules, *(raw.listed_modules or ())}
    is_complete = raw.listed_modules is not None
    known = {}
    for whole, parts in PARTS.items():
        if whole in there or is_complete or raw.loads_modules is False:
            known[whole] = whole in there
        for part in parts:
            if part in there or is_complete or known.get(whole) is False:
                known[part] = known.get(whole, True) and part in there
    return (*known.items(), *loops)
