"""Whether this system runs in a container: what those who start one leave in it, and what that means."""

import re
from collections.abc import Mapping
from pathlib import Path

from wizard.probe.host.sysfs import text

NAMES = ("/run/host/container-manager", "/run/systemd/container")
"""Files with the name of who started the container (systemd.io, Container Interface)."""

FIRST = "/proc/1/environ"
"""The environment of the first process, whose `container=` says the same; only root may read it."""

PODMAN, DOCKER = "/run/.containerenv", "/.dockerenv"
"""Files that are there, whatever they hold."""

KERNEL = "/proc/2/comm"
KERNELS = "kthreadd"
"""The second process is the kernel's own wherever processes are counted from the start of the computer."""


def container_signs() -> dict[str, str]:
    """What is there of all this, by its path; of the environment that one variable alone."""
    found = {path: said for path in (*NAMES, KERNEL) if (said := text(Path(path)))}
    if named := re.search(r"(?:^|\0)container=([^\0]+)", text(Path(FIRST)) or ""):
        found[FIRST] = named[1]
    return found | {path: "" for path in (PODMAN, DOCKER) if Path(path).exists()}


def is_container(signs: Mapping[str, str]) -> bool:
    """As systemd-detect-virt(1) has it, but that Docker's file alone does not tell: it stays in an image that
    a computer starts from, where the kernel's own processes are seen. Pure."""
    if any(signs.get(path) for path in (*NAMES, FIRST)) or PODMAN in signs:
        return True
    return DOCKER in signs and signs.get(KERNEL) != KERNELS
