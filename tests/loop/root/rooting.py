"""An ordinary user, and a fake sudo that records its commands.

The fake sudo is a script on the user's PATH. It passes arguments, environment and standard streams over a
socket to this process, which runs them as root, like sudo's setuid bit allows. Its status is that of the
command.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.loop.applying import ROOT

NOBODY = 65534

STAND_IN = """#!{python} -IB
import array, json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({socket!r})
streams = array.array("i", [0, 1, 2])
word = ""
if {asks}:
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:
            terminal.write(b"stand-in's password: ")
            word = terminal.readline().decode().strip()
    except KeyboardInterrupt:
        sys.exit(1)
told = {{"word": word, "argv": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd()}}
told = json.dumps(told | {{"umask": os.umask(0)}}).encode()
line.sendmsg([len(told).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
line.sendall(told)
sys.stdin.close(); sys.stdout.close()
sys.exit(line.recv(1)[0])
"""


@dataclass
class Sudo:
    """The fake sudo. `refuses`: end as after wrong passwords; any password except `password`, if set, has
    the same effect. `adds`: environment variables added to the user's. `calls`: argument lists.
    `environments`: their environments. `words`: passwords entered. `ends`: exit statuses."""

    folder: Path
    refuses: bool = False
    password: str = ""
    adds: dict[str, str] = field(default_factory=dict)
    calls: list[list[str]] = field(default_factory=list)
    environments: list[dict[str, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(mode=0o755)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / "socket"))
        (self.folder / "socket").chmod(0o666)
        self._listener.listen()
        program = self.folder / "sudo"
        program.write_text(
            STAND_IN.format(
                python=os.path.realpath(sys.executable),
                socket=str(self.folder / "socket"),
                asks=bool(self.password),
            )
        )
        program.chmod(0o755)
        self._children: list[subprocess.Popen[bytes]] = []
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._server.start()

    @property
    def errors(self) -> Path:
        """File with the standard error of the commands."""
        return self.folder / "errors"

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._run, args=(line,), daemon=True).start()

    def _run(self, line: socket.socket) -> None:
        head, streams, _, _ = socket.recv_fds(line, 4, 3)
        if not head:
            return
        told = json.loads(_exactly(line, int.from_bytes(head, "big")))
        self.calls.append(told["argv"])
        self.environments.append(told["environ"])
        self.words.append(told["word"])
        words = told["argv"][told["argv"].index("--") + 1 :]
        child = None
        if not self.refuses and told["word"] == self.password:
            # All of the plain user's environment comes along, as the worst of sudoers could let it.
            with self.errors.open("ab") as errors:
                child = subprocess.Popen(
                    words,
                    stdin=streams[0],
                    stdout=streams[1],
                    stderr=errors,
                    env=told["environ"] | self.adds,
                    cwd=told["cwd"],
                    umask=told["umask"],
                )
            self._children.append(child)
        for fd in streams:
            os.close(fd)
        status = 1 if child is None else child.wait()
        self.ends.append(status)
        # Whoever asked may have gone with its terminal.
        with suppress(OSError):
            line.sendall(bytes([status % 256]))
        line.close()

    def close(self) -> None:
        """Stop listening and wait for all commands. The thread must leave accept() before its descriptor
        number is reused, otherwise it would answer for the next fake sudo."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._server.join()
        self._listener.close()
        for child in self._children:
            child.wait(timeout=60)


def _exactly(line: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        got += line.recv(size - len(got))
    return got


def require_reach() -> None:
    """Skip the test if an ordinary user cannot run the program, or fail in CI."""
    for place in (ROOT, Path(sys.prefix)):
        if not all(above.stat().st_mode & 0o005 == 0o005 for above in (place, *place.parents)):
            reason = f"a plain user cannot read {place}"
            pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def as_nobody() -> tuple[str, ...]:
    """Return the command that runs this Python as an ordinary user."""
    return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", sys.executable, "-B")


def run_as_nobody(sudo: Sudo, *words: str, folder: Path, **changes: str) -> subprocess.Popen[str]:
    """Start `python -m tests.loop.root.plain_user` as an ordinary user with the fake sudo, in the user's
    environment."""
    path = os.pathsep.join([str(sudo.folder), os.environ["PATH"]])
    return subprocess.Popen(
        [*as_nobody(), "-m", "tests.loop.root.plain_user", *words],
        cwd=ROOT,
        env={**os.environ, "HOME": str(folder), "PATH": path, **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        umask=0,
    )
