"""The project's commands in a guest. Each is a separate process, as for a user, but forked from the job:
imports take an emulated CPU as long as most commands.

The visits in `visits/screens` start them with their own interpreter, as users do.
"""

import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from pkgutil import resolve_name
from tempfile import TemporaryFile
from time import monotonic

from wizard.cli.main import main
from wizard.cli.table import COMMANDS, ROWS
from wizard.probe import pool
from wizard.process.program import ALWAYS, HANDED_ON, Result, search_path

COMPILED = "PYTHONPYCACHEPREFIX"
"""Where the lab has compiled everything. Whatever looks elsewhere compiles it again, for minutes."""


def carried_out(words: Sequence[str], seconds: float) -> Result:
    """Return output and exit of a command. After `seconds`, it is killed with its children, and the job
    fails."""
    if words[0] in COMMANDS:
        # Here, so that what is imported stays for the next command.
        resolve_name(f"wizard.cli.{ROWS[words[0]].function}")
    begun = monotonic()
    with TemporaryFile() as output, TemporaryFile() as errors:
        child = os.fork()
        if not child:
            _be(words, output.fileno(), errors.fileno())
        status = _ended(child, seconds)
        assert status is not None, f"diskwright {' '.join(words)} was not done after {seconds:g} s."
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
    return Result(status, said[0], said[1], monotonic() - begun)


def _ended(child: int, seconds: float) -> int | None:
    """Return the exit status, or the negative signal number; None if the process had to be killed."""
    descriptor = os.pidfd_open(child)
    try:
        in_time, _, _ = select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    if not in_time:
        os.killpg(child, signal.SIGKILL)
    _, waited = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(waited) if in_time else None


def _be(words: Sequence[str], output: int, errors: int) -> None:
    """Become the command in the child, and never return. Environment and descriptors are as in
    `wizard/process/program.py`."""
    status = 1
    try:
        os.setsid()
        for here, there in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (errors, 2)):
            os.dup2(here, there)
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        handed_on = {name: os.environ[name] for name in (*HANDED_ON, COMPILED) if name in os.environ}
        environment = {**handed_on, **ALWAYS, "PATH": search_path()}
        os.environ.clear()
        os.environ.update(environment)
        # A probe's server that the job has started answers the job.
        pool._idle.clear()
        status = main(words)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        if sys.exc_info()[0]:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
