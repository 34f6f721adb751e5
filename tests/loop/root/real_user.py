"""A test user who can become root with a password, for tests with the real programs."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.devices import in_own_namespace, tool

NAME, NUMBER, PASSWORD = "diskwright-test", 60789, "open sesame"
APART = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
"""What is begun on the way ends with the first process."""


@dataclass(frozen=True, slots=True)
class RealUser:
    """A user in a mount namespace, with scratch folders over the machine's: those in `own` and a copy of
    /etc. A run's writes stay in the namespace."""

    folder: Path
    own: tuple[str, ...]

    def command(self, *words: str, before: str = "", **environment: str) -> list[str]:
        """Return the command that runs these words as the user, after root has run `before` in a shell."""
        over = [f"mount --bind {shlex.quote(str(self.folder / name))} /{name}" for name in self.own]
        pairs = (f"{name}={value}" for name, value in environment.items())
        user = ("setpriv", f"--reuid={NUMBER}", f"--regid={NUMBER}", "--clear-groups", "env", *pairs)
        script = "\n".join(["set -eu", *over, before, shlex.join((*user, *words))])
        return in_own_namespace(*APART, "sh", "-c", script)


@contextmanager
def real_user(sudoers: str, *own: str) -> Iterator[RealUser]:
    """Create a user with these sudo rules and a folder readable by everyone."""
    folder = Path(tempfile.mkdtemp(prefix="diskwright-user-"))
    folder.chmod(0o755)
    try:
        for name in ("etc", "home", *own):
            (folder / name).mkdir(parents=True)
        tool("cp", "-aT", "/etc", str(folder / "etc"))
        hashed = subprocess.run(
            ("openssl", "passwd", "-6", "-stdin"), input=PASSWORD, capture_output=True, text=True, check=True
        ).stdout.strip()
        for name, line in {
            "passwd": f"{NAME}:x:{NUMBER}:{NUMBER}::/home:/bin/sh\n",
            "shadow": f"{NAME}:{hashed}:20000:0:99999:7:::\n",
        }.items():
            with (folder / "etc" / name).open("a") as file:
                file.write(line)
        (folder / "etc/sudoers").write_text(sudoers)
        (folder / "etc/sudoers").chmod(0o440)
        os.chown(folder / "home", NUMBER, NUMBER)
        yield RealUser(folder, ("etc", "home", *own))
    finally:
        shutil.rmtree(folder)
