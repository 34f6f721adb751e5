"""The project's own commands in a guest. Each is a process of its own, as if a user had given it, but forked
from the job's: importing all that a command needs takes an emulated processor as long as most commands.

As a user starts it, with an interpreter of its own, it is started by the visits of `visits/screens`.
"""

import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from tempfile import TemporaryFile
from time import monotonic

from wizard.cli.main import COMMANDS, command_of, main
from wizard.probe import pool
from wizard.process.program import ALWAYS, HANDED_ON, Result, search_path

COMPILED = "PYTHONPYCACHEPREFIX"
"""Where the lab has compiled everything. Whatever looks elsewhere compiles it again, for minutes."""


def carried_out(words: Sequence[str], seconds: float) -> Result:
    """What a command says and how it ends; after `seconds` it is killed, with its children, and the job
    fails."""
    if words[0] in COMMANDS:
        # Here, so that what is imported stays for the next command.
        command_of(words[0])
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
    """The exit status, or a signal's number below 0; None for one that had to be killed."""
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
    """In the child, which never returns: what it is told and what it sees is what a command of
    `wizard/process/program.py` gets."""
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
