"""Detached process: `python -m wizard.apply RUN PURPOSE DRIVE-LOCK,...,RUN-LOCK`.

Started only by `wizard.apply.run.process`, with any passphrase on standard input.
"""

import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

from wizard.apply.run import process
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal
from wizard.apply.run.progress_log import known_so_far
from wizard.apply.run_control import carry_out
from wizard.model.errors import DiskwrightError, why_not
from wizard.model.run import Event
from wizard.probe import pool
from wizard.process.program import note_exception


def main(arguments: list[str]) -> None:
    """Fork away from the parent process and carry out the run."""
    run, purpose = Path(arguments[0]), process.Purpose(arguments[1])
    locks = tuple(map(int, arguments[2].split(",")))
    # No core dump may contain the passphrase.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Do not pass the locks on to child processes, unless requested explicitly.
    for lock in locks:
        os.set_inheritable(lock, False)
    if os.fork():
        os._exit(0)
    # The probe server loads in parallel, and must not have the passphrase.
    pool.begin()
    secret = sys.stdin.buffer.read()
    # Ignore a closed terminal and Ctrl+C: they concern the command that follows the run. On shutdown, stop
    # before the next step.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: why_not(process.request_stop, run))
    os.umask(0o077)
    (run / "pid").write_text(f"{os.getpid()}\n")
    # From here on, only mount points are created without an explicit mode.
    os.umask(0o022)
    try:
        # This imports only the modules of this kind of run.
        carry_out(RunWork(run, purpose, Journal(run), locks[:-1], secret or None))
    except (OSError, DiskwrightError) as error:
        note_exception()
        # Most likely the run's own files are inaccessible, so journaling the error may fail, too.
        what = process.UNOPENED(path=str(error.filename), why=error) if isinstance(error, OSError) else error
        with suppress(DiskwrightError):
            Journal(run).end(Event.FAILED, f"{what} {known_so_far(run)}")
    except BaseException:
        note_exception()
        raise


main(sys.argv[1:])
