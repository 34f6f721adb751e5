"""Random accesses made by fio: 4 KiB each, a quarter of them writes, through the page cache."""

from functools import partial

from wizard.model.units import KIB, MIB
from wizard.tools.program import run
from wizard.trial.loads.drawn import scaled
from wizard.trial.loads.load import Load, Phase, Unit
from wizard.trial.loads.random_io import filled
from wizard.trial.loads.script import Draft, phase

FILE_BYTES = 128 * MIB
ACCESSES = 900
ACCESS_BYTES = 4 * KIB
NAME = "file"
SECONDS = 600.0


def _phases(scale: float, seed: int) -> tuple[Phase, ...]:
    draft = Draft(seed)
    size_bytes = scaled(FILE_BYTES // MIB, scale) * MIB
    fill = filled(draft, NAME, size_bytes)
    count = scaled(ACCESSES, scale)
    act = partial(_access, size_bytes, count, seed)
    return (
        phase("fill", Unit.BYTES, fill),
        Phase("access", Unit.OPERATIONS, count, act, writes_bytes=count * ACCESS_BYTES),
    )


def _access(size_bytes: int, count: int, seed: int, root: int) -> None:
    """Raises Failed where fio does not end well."""
    options = (
        "--name=access",
        f"--filename=/proc/self/fd/{root}/{NAME}",
        "--thread",
        "--scramble_buffers=0",
        "--ioengine=psync",
        "--rw=randrw",
        "--rwmixread=75",
        f"--bs={ACCESS_BYTES}",
        f"--size={size_bytes}",
        f"--number_ios={count}",
        f"--randseed={seed}",
        "--allow_file_create=0",
        "--fallocate=none",
        "--invalidate=0",
        "--output-format=terse",
    )
    run(("fio", *options), seconds=SECONDS, keep_open=(root,))


LOAD = Load("fio-random", _phases, programs=("fio",))
