"""Root folders of other systems, entered without a network, with this machine's kernel, /dev and /sys."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.devices import in_own_namespace

PLAIN_USER = 1234
SECONDS = 300
FOLDERS = ("bin", "dev", "etc", "home/plain", "mnt", "proc", "root", "run", "sys", "tmp", "usr", "var/tmp")
ENTER = r"""
set -eu
root=$1 user=$2
shift 2
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
install -d -o "$user" -g "$user" "$root/run/user/$user"
exec chroot --userspec="$user:$user" "$root" "$@"
"""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder with a system."""

    folder: Path

    def argv(self, user: int, *words: str, **environment: str) -> tuple[str, ...]:
        """Return the command that runs a program there, in separate namespaces, so that its mounts end
        with it."""
        home = "/root" if user == 0 else "/home/plain"
        settings = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "LANG": "C.UTF-8", **environment}
        return (
            *in_own_namespace("unshare", "--net", "--pid", "--fork", "--kill-child"),
            *("sh", "-c", ENTER, "sh", str(self.folder), str(user)),
            *("env", "-i", *(f"{name}={value}" for name, value in settings.items()), *words),
        )

    def run(self, user: int, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a program there to its end."""
        return subprocess.run(
            self.argv(user, *words, **environment),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )

    def take_in(self, file: Path) -> str:
        """Copy a file there, and return its path inside."""
        shutil.copy(file, self.folder)
        return f"/{file.name}"


def busybox_root(folder: Path) -> Root:
    """Create a root folder with only busybox."""
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for name in ("tmp", "var/tmp"):
        (folder / name).chmod(0o1777)
    os.chown(folder / "home/plain", PLAIN_USER, PLAIN_USER)
    busybox = shutil.which("busybox")
    assert busybox, "the package busybox-static is missing"
    shutil.copy(busybox, folder / "bin/busybox")
    applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for name in applets:
        if name != "busybox":
            (folder / "bin" / name).symlink_to("busybox")
    (folder / "etc/passwd").write_text(
        f"root:x:0:0::/root:/bin/sh\nplain:x:{PLAIN_USER}:{PLAIN_USER}::/home/plain:/bin/sh\n"
    )
    return Root(folder)


def debian_root(folder: Path, suite: str, mirror: str) -> Root:
    """Create a minimal Debian of a release."""
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", suite, str(folder), mirror],
        capture_output=True,
        text=True,
        timeout=4 * SECONDS,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (folder / "home/plain").mkdir()
    os.chown(folder / "home/plain", PLAIN_USER, PLAIN_USER)
    return Root(folder)
