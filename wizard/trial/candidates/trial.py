"""The room's door: a trial of filesystems in a process of its own, watched over."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Failed, Refused
from wizard.model.said import t
from wizard.tools.debuglog import COMMAND, note
from wizard.trial.candidates.leftovers import sweep
from wizard.trial.candidates.result import Order, Progress, TrialVerdict

PROCESS = (sys.executable, "-P", "-m", "wizard.trial.candidates")
ROOT = Path(__file__).resolve().parents[3]
LOOK_SECONDS = 0.2


def run_trial(
    order: Order, on_progress: Callable[[Progress], None], stop: Callable[[], bool]
) -> TrialVerdict:
    """Carry the trial out; the token was typed, and root is had. What is measured until `stop` is in the
    verdict. Raises Refused where nothing was written, Failed where it went wrong; then nothing is left of it
    either."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    with subprocess.Popen(
        PROCESS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    ) as process:
        over = threading.Event()
        watch = threading.Thread(target=_stop_when, args=(process, stop, over), daemon=True)
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(to_json(order)).encode() + b"\n")
                process.stdin.flush()
            watch.start()
            answer = _heard(process, on_progress)
        finally:
            over.set()
            with suppress(OSError):
                process.stdin.close() if process.stdin else None
            said = process.stderr.read() if process.stderr else b""
            process.wait()
    if said:
        note(COMMAND, said.decode(errors="replace"))
    if answer is None:
        sweep(order.drive.path)
        raise Failed(
            t(
                "The trial ended without an answer. What it left on {drive} is taken away; "
                "nothing of it is said.",
                drive=order.drive.path,
            )
        )
    if isinstance(answer, DiskwrightError):
        raise answer
    return answer


def _stop_when(process: "subprocess.Popen[bytes]", stop: Callable[[], bool], over: threading.Event) -> None:
    """Ask it to stop once that is wanted."""
    while not over.wait(LOOK_SECONDS):
        if stop():
            with suppress(OSError, ValueError):
                if process.stdin:
                    process.stdin.write(b"stop\n")
                    process.stdin.flush()
            return


def _heard(
    process: "subprocess.Popen[bytes]", on_progress: Callable[[Progress], None]
) -> TrialVerdict | DiskwrightError | None:
    """Its last answer; None where it ended without one."""
    for line in process.stdout or ():
        try:
            told = json.loads(line)
            what, value = told["say"], told["value"]
        except (ValueError, KeyError, TypeError):
            return None
        match what:
            case "progress":
                on_progress(from_json(value, Progress, "the trial"))
            case "verdict":
                return from_json(value, TrialVerdict, "the trial")
            case "refused":
                return _error(value["sentence"], value["code"])
    return None


def _error(sentence: str, code: int) -> DiskwrightError:
    kinds: dict[int, type[DiskwrightError]] = {ExitCode.REFUSED: Refused, ExitCode.USAGE: BadInput}
    return kinds.get(code, Failed)(sentence)
