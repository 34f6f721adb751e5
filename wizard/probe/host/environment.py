"""Look up the caller and the owner that a name means, once at planning time.

Also detects containers, distributions and programs with open files.
"""

import grp
import os
import pwd
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from psutil import PROCFS_PATH, Error, Process, pids

from wizard.model.errors import BadInput, printable
from wizard.model.operations import EVERYONE, ROOT, Writer
from wizard.model.said import Sentence
from wizard.probe.host.sysfs import text

LOGIN_UID = Path("/proc/self/loginuid")
NOBODY_LOGGED_IN = 2**32 - 1
"""What the kernel says where a process descends from no login (audit, login_uid)."""

GROUP = "group:"


def caller() -> Writer:
    """Who called: whoever asked for root by sudo or pkexec, else whoever logged in, else who runs this. Root
    where that is nobody whom this system knows."""
    for told in (os.environ.get("SUDO_UID"), os.environ.get("PKEXEC_UID"), _login_uid(), str(os.getuid())):
        if told is not None and told.isascii() and told.isdecimal() and int(told) < NOBODY_LOGGED_IN:
            with suppress(KeyError, OverflowError):
                return _person(pwd.getpwuid(int(told)))
    return ROOT


def _login_uid() -> str | None:
    try:
        return LOGIN_UID.read_text().strip()
    except OSError:
        return None


def writer_named(text: str) -> Writer:
    """Who is meant by `anna`, `group:family`, `everyone` or `root`; raises BadInput for a name that this
    system does not know."""
    if text == EVERYONE.kind:
        return EVERYONE
    name = text.removeprefix(GROUP)
    try:
        if name == text:
            return _person(pwd.getpwnam(name))
        found = grp.getgrnam(name)
    except (KeyError, ValueError):
        unknown = (
            Sentence("User {name} does not exist here. Enter a user name, group:NAME, everyone or root.")
            if name == text
            else Sentence(
                "Group {name} does not exist here. Enter a user name, group:NAME, everyone or root."
            )
        )
        raise BadInput(str(unknown(name=repr(printable(name, 40))))) from None
    return Writer("group", found.gr_name, 0, found.gr_gid) if found.gr_gid else ROOT


def _person(found: pwd.struct_passwd) -> Writer:
    return Writer("person", found.pw_name, found.pw_uid, found.pw_gid) if found.pw_uid else ROOT


LONGEST_NAME = 40


def others() -> tuple[int, ...]:
    """The numbers of all programs that are seen, but for this one."""
    return tuple(number for number in pids() if number != os.getpid())


def name_of(number: int) -> str | None:
    """What a program is called, made fit to be shown; None where it is gone."""
    with suppress(Error):
        return printable(Process(number).name(), LONGEST_NAME)
    return None


def opened(number: int) -> Iterator[tuple[int, str]]:
    """The descriptors of a program, and where each leads to; of other people's programs only root sees
    them."""
    with suppress(OSError):
        for link in _folder(number, "fd").iterdir():
            with suppress(OSError):
                yield int(link.name), str(link.readlink())


def stands_in(number: int) -> Iterator[str]:
    """Where a program is: its working folder, its root, and its own file."""
    for name in ("cwd", "root", "exe"):
        with suppress(OSError):
            yield str(_folder(number, name).readlink())


def writes(number: int, descriptor: int) -> bool:
    """Whether a program opened this for writing, by the descriptor's `fdinfo`
    (Documentation/filesystems/proc.rst). Raises OSError where it is closed."""
    lines = _folder(number, "fdinfo", str(descriptor)).read_text().splitlines()
    flags = next((line.split()[1] for line in lines if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


def _folder(number: int, *names: str) -> Path:
    return Path(PROCFS_PATH, str(number), *names)


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


PLACES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))

FAMILIES = {
    **dict.fromkeys(("debian", "ubuntu"), "debian"),
    **dict.fromkeys(("fedora", "rhel", "centos"), "fedora"),
    **dict.fromkeys(("arch", "archlinux"), "arch"),
    **dict.fromkeys(("suse", "opensuse", "sles", "opensuse-leap", "opensuse-tumbleweed"), "suse"),
    "alpine": "alpine",
    "void": "void",
}
"""By ID and the words of ID_LIKE; others than these name one of them in ID_LIKE (os-release(5))."""


def os_release() -> str:
    """The lines ID and ID_LIKE of os-release; empty where there are none."""
    said = next((said for place in PLACES if (said := text(place))), "")
    return "\n".join(re.findall(r"(?m)^ID(?:_LIKE)?=.*$", said))


def family_of(os_release: str) -> str:
    """The family, by the lines of os-release; empty where it is none of those known here."""
    lines = dict(re.findall(r"(?m)^(ID|ID_LIKE)=[\"']?([^\"'\n]*)", os_release))
    words = f"{lines.get('ID', '')} {lines.get('ID_LIKE', '')}".lower().split()
    return next((FAMILIES[word] for word in words if word in FAMILIES), "")
