"""Process of a filesystem comparison. It locks the drive and cleans up even if the caller dies. The order is
one line of JSON on stdin. Answers are lines on stdout. Another line or end of input stops the process."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable

from wizard.benchmark.candidates.compare import (
    EndReason,
    NotDone,
    Order,
    TrialProgress,
    TrialVerdict,
    comparisons,
    is_busy,
    speeds,
)
from wizard.benchmark.candidates.partition import (
    FOLDER,
    TrialPartition,
    number_above,
    sample_of,
    sweep,
    written_down,
)
from wizard.benchmark.candidates.running import Stop, Trial
from wizard.benchmark.candidates.surroundings import go_private, refuse_little_memory
from wizard.benchmark.candidates.trial import refuse_extent
from wizard.benchmark.scratch import held
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import DiskwrightError
from wizard.probe.machine import probe_drive

PLACE = FOLDER / "trial"


def main() -> int:
    """Run one trial. Reports errors as answers too."""
    stop = Stop()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.ask())
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    order = from_json(json.loads(sys.stdin.buffer.readline()), Order, "the order")
    threading.Thread(target=_wait_for_stop, daemon=True).start()
    try:
        verdict = carried_out(order, stop, lambda progress: _answer("progress", to_json(progress)))
    except DiskwrightError as error:
        _answer("refused", {"sentence": str(error), "code": int(error.exit_code)})
        return error.exit_code
    _answer("verdict", to_json(verdict))
    return 0


def _wait_for_stop() -> None:
    sys.stdin.buffer.readline()
    os.kill(os.getpid(), signal.SIGTERM)


def _answer(what: str, value: object) -> None:
    try:
        sys.stdout.write(json.dumps({"say": what, "value": value}) + "\n")
        sys.stdout.flush()
    except OSError:
        # The caller is gone. End of input stops the trial.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def carried_out(order: Order, stop: Stop, tell: Callable[[TrialProgress], None]) -> TrialVerdict:
    """Run the trial, from the lock to erasing all signatures. Raises Refused before the first write, or
    Failed."""
    path = order.drive.path
    sweep(path)
    refuse_little_memory()
    with held(order.drive, probe_drive) as (lock, fresh):
        refuse_extent(fresh, order.extent)
        number = number_above(path, (part.number for part in fresh.partitions))
        with written_down(fresh, number, order.extents):
            go_private(PLACE)
            partition = TrialPartition(lock, path, number, PLACE, sample_of(fresh))
            place = PLACE / "volume"
            place.mkdir()
            trial = Trial(order, partition, place, lock, tell, stop)
            try:
                ended = trial.run()
            finally:
                partition.leave()
    return _verdict(trial, ended)


def _verdict(trial: Trial, ended: EndReason) -> TrialVerdict:
    order, rounds = trial.order, tuple(trial.rounds)
    names = [candidate.id for candidate in order.candidates]
    return TrialVerdict(
        drive=order.drive.path,
        serial=order.drive.serial,
        workload=order.workload,
        planned=names[0],
        extent=order.extent,
        loads=order.loads,
        aged=order.aged,
        advised=order.advised,
        ended=ended,
        busy=is_busy(rounds),
        scale=trial.scale,
        seconds=round(trial.elapsed, 1),
        written_bytes=trial.written_bytes,
        memory_bytes=trial.memory.limit_bytes,
        kernel=os.uname().release,
        comparisons=comparisons(rounds, names[0], names[1:]),
        speeds=speeds(rounds, names),
        not_done=tuple(_not_done(trial)),
        candidates=order.candidates,
        rounds=rounds,
    )


def _not_done(trial: Trial) -> list[NotDone]:
    counted = [phase.counts for one in trial.rounds for run in one.runs for phase in run.phases]
    found = {
        NotDone.MEMORY: trial.memory.limit_bytes is None,
        NotDone.PRESSURE: any(one.cpu_pressure is None or one.io_pressure is None for one in trial.rounds),
        NotDone.DRIVE_MEMORY: trial.cache.matters and trial.cache.place_bytes is None,
        NotDone.FLUSHES: any(one is None or one.flushes is None for one in counted),
    }
    return [what for what, holds in found.items() if holds]


if __name__ == "__main__":
    sys.exit(main())
