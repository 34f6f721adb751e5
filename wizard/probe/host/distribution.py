"""Which family of distributions this system is of: what its packages are called, and what installs them."""

import re
from pathlib import Path

from wizard.probe.host.sysfs import text

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
