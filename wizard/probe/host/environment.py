"""Look up the calling user and named owners, once at planning time. Also detects containers, distributions
and open files of processes."""

import grp
import os
import pwd
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from wizard.model.errors import BadInput, printable
from wizard.model.layout import EVERYONE, ROOT, Writer
from wizard.model.said import t
from wizard.probe.host.sysfs import names_in, text

LOGIN_UID = Path("/proc/self/loginuid")
NOBODY_LOGGED_IN = 2**32 - 1
"""Login UID of a process without a login (audit, login_uid)."""

GROUP = "group:"


def caller() -> Writer:
    """Return the user of sudo or pkexec, else of the login, else of this process, else root."""
    for uid in (os.environ.get("SUDO_UID"), os.environ.get("PKEXEC_UID"), text(LOGIN_UID), str(os.getuid())):
        if uid is not None and uid.isascii() and uid.isdecimal() and int(uid) < NOBODY_LOGGED_IN:
            with suppress(KeyError, OverflowError):
                return _person(pwd.getpwuid(int(uid)))
    return ROOT


def writer_named(named: str) -> Writer:
    """Look up `anna`, `group:family`, `everyone` or `root`. Raises BadInput."""
    if named == EVERYONE.kind:
        return EVERYONE
    name = named.removeprefix(GROUP)
    try:
        if name == named:
            return _person(pwd.getpwnam(name))
        found = grp.getgrnam(name)
    except (KeyError, ValueError):
        raise BadInput(
            t(
                "{writer} is no user or group here. Enter a user name, group:NAME, everyone or root.",
                writer=repr(named),
            )
        ) from None
    return Writer("group", found.gr_name, 0, found.gr_gid) if found.gr_gid else ROOT


def _person(found: pwd.struct_passwd) -> Writer:
    return Writer("person", found.pw_name, found.pw_uid, found.pw_gid) if found.pw_uid else ROOT


PROC = Path("/proc")
LONGEST_NAME = 40


def pids() -> tuple[int, ...]:
    """Return the PIDs of all visible processes."""
    return tuple(sorted(int(name) for name in names_in(PROC) if name.isdecimal()))


def name_of(number: int) -> str | None:
    """Return the printable name of a running process."""
    # Imported here because psutil is slow to load, and few programs are in the way.
    from psutil import Error, Process

    with suppress(Error):
        return printable(Process(number).name(), LONGEST_NAME)
    return None


def opened(number: int) -> Iterator[tuple[int, str]]:
    """Yield a process's open descriptors and targets. Only root sees other users'."""
    with suppress(OSError):
        for link in (PROC / str(number) / "fd").iterdir():
            with suppress(OSError):
                yield int(link.name), str(link.readlink())


def process_paths(number: int) -> Iterator[str]:
    """Yield the working directory, root and executable of a process."""
    for name in ("cwd", "root", "exe"):
        with suppress(OSError):
            yield str((PROC / str(number) / name).readlink())


def writes(number: int, descriptor: int) -> bool:
    """Return True if a process opened this descriptor for writing, by `fdinfo`. Raises OSError if closed."""
    lines = (PROC / str(number) / "fdinfo" / str(descriptor)).read_text().splitlines()
    flags = next((line.split()[1] for line in lines if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


NAMES = ("/run/host/container-manager", "/run/systemd/container")
"""Files with the name of the container manager (systemd.io, Container Interface)."""

FIRST = "/proc/1/environ"
"""Environment of PID 1, whose `container=` has the same name. Readable by root only."""

PODMAN, DOCKER = "/run/.containerenv", "/.dockerenv"
"""Files that exist in containers, whatever their contents."""

KERNEL = "/proc/2/comm"
KERNELS = "kthreadd"
"""Name of PID 2 outside containers: a kernel thread."""


def container_signs() -> dict[str, str]:
    """Return the signs of a container by path. From the environment, only that variable."""
    found = {path: said for path in (*NAMES, KERNEL) if (said := text(Path(path)))}
    if named := re.search(r"(?:^|\0)container=([^\0]+)", text(Path(FIRST)) or ""):
        found[FIRST] = named[1]
    return found | {path: "" for path in (PODMAN, DOCKER) if Path(path).exists()}


def is_container(signs: Mapping[str, str]) -> bool:
    """Detect a container as systemd-detect-virt(1) does. Pure. One difference: Docker's file alone does not
    count if kernel threads are visible, because the file remains in an image that a computer boots."""
    if any(signs.get(path) for path in (*NAMES, FIRST)) or PODMAN in signs:
        return True
    return DOCKER in signs and signs.get(KERNEL) != KERNELS


PLACES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))

FAMILIES = {
    **dict.fromkeys(("debian", "ubuntu"), "debian"),
    **dict.fromkeys(("fedora", "rhel", "centos"), "fedora"),
    **dict.fromkeys(("arch", "archlinux"), "arch"),
    **dict.fromkeys(("suse", "opensuse", "sles", "opensuse-leap", "opensuse-tumbleweed"), "suse"),
    "alpine": "alpine",
    "void": "void",
}
"""Families by ID or a word of ID_LIKE. Derived distributions name one of these in ID_LIKE (os-release(5))."""


def os_release() -> str:
    """Return the ID and ID_LIKE lines of os-release."""
    content = next((content for place in PLACES if (content := text(place))), "")
    return "\n".join(re.findall(r"(?m)^ID(?:_LIKE)?=.*$", content))


def family_of(os_release: str) -> str:
    """Return the distribution's family, empty if unknown."""
    lines = dict(re.findall(r"(?m)^(ID|ID_LIKE)=[\"']?([^\"'\n]*)", os_release))
    words = f"{lines.get('ID', '')} {lines.get('ID_LIKE', '')}".lower().split()
    return next((FAMILIES[word] for word in words if word in FAMILIES), "")
