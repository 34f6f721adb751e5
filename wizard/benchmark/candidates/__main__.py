"""Process of a filesystem comparison. It locks the drive and cleans up even if the caller dies.

The argument is the descriptor of a pipe. The order comes in; progress and the verdict or an error go out.
Another message or the end of the pipe stops the process.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from wizard.benchmark.access import MeasureProgress, OnProgress
from wizard.benchmark.candidates import compare, partition
from wizard.benchmark.candidates.running import Stop, Trial
from wizard.benchmark.candidates.surroundings import go_private, refuse_little_memory
from wizard.benchmark.candidates.trial import refuse_extent
from wizard.benchmark.scratch import known, opened_alone
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused

PLACE = partition.FOLDER / "trial"


def main(pipe: Connection) -> None:
    """Run one trial, and answer with a verdict or an error."""
    stop = Stop()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.ask())
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    order = pipe.recv()

    def wait_for_stop() -> None:
        with suppress(EOFError, OSError):
            pipe.recv()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait_for_stop, daemon=True).start()

    def answer(value: MeasureProgress | compare.TrialVerdict | DiskwrightError) -> None:
        # If the caller is gone, the end of the pipe stops the trial.
        with suppress(OSError):
            pipe.send(value)

    try:
        answer(carried_out(order, stop, answer))
    except DiskwrightError as error:
        kind = next(kind for kind in (Refused, BadInput, Failed) if isinstance(error, kind))
        answer(kind(str(error)))


def carried_out(order: compare.Order, stop: Stop, tell: OnProgress) -> compare.TrialVerdict:
    """Run the trial, from lock to erasing. Raises Refused before the first write, or Failed."""
    partition.sweep(order.drive.path)
    refuse_little_memory()
    with known(order.drive) as (lock, fresh):
        # No other program uses the drive. Then close it, so that partitions can be mounted.
        with opened_alone(fresh, synchronous=False):
            pass
        refuse_extent(fresh, order.extent)
        with partition.recorded(fresh, order.extents) as record:
            go_private(PLACE)
            volume = partition.TrialPartition(lock, record, PLACE)
            place = PLACE / "volume"
            place.mkdir()
            trial = Trial(order, volume, place, tell, stop)
            try:
                ended = trial.run()
            finally:
                volume.leave()
    rounds = tuple(trial.rounds)
    names = [candidate.id for candidate in order.candidates]
    counted = [phase.counts for one in rounds for run in one.runs for phase in run.phases]
    unknown_pressure = any(one.cpu_pressure is None or one.io_pressure is None for one in rounds)
    not_done = {
        compare.NotDone.MEMORY: trial.memory.limit_bytes is None,
        compare.NotDone.PRESSURE: unknown_pressure,
        compare.NotDone.DRIVE_MEMORY: trial.has_cache and trial.outside_bytes is None,
        compare.NotDone.FLUSHES: any(one is None or one.flushes is None for one in counted),
    }
    return compare.TrialVerdict(
        drive=order.drive.path,
        serial=order.drive.serial,
        workload=order.workload,
        planned=names[0],
        extent=order.extent,
        loads=order.loads,
        aged=order.aged,
        advised=order.advised,
        ended=ended,
        busy=compare.is_busy(rounds),
        scale=trial.scale,
        seconds=round(trial.clock.elapsed, 1),
        written_bytes=trial.written_bytes,
        memory_bytes=trial.memory.limit_bytes,
        kernel=os.uname().release,
        comparisons=trial.comparisons,
        speeds=compare.speeds(rounds, names),
        not_done=tuple(what for what, holds in not_done.items() if holds),
        candidates=order.candidates,
        rounds=rounds,
    )


if __name__ == "__main__":
    main(Connection(int(sys.argv[1])))
