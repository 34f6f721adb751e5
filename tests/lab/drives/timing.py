"""Drives with the timing of rotating platters, served to QEMU by nbdkit."""

import subprocess
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

from tests.lab.drives.fleet import TimingModel
from tests.lab.trouble import CannotRun, GuestTrouble
from wizard.process.program import find

PLUGIN = Path(__file__).with_name("timing_plugin.py")
CHECKOUT = Path(__file__).parents[3]
NBDKIT = "nbdkit"
PACKAGES = "nbdkit and nbdkit-plugin-python"
PHYSICAL_BLOCK_BYTES = 4096
START_SECONDS = 30.0
END_SECONDS = 10.0


def serve(
    stack: ExitStack, image: str, folder: Path, drive_name: str, size_bytes: int, model: TimingModel
) -> dict[str, object]:
    """Serve the file `image` with a model's timing until `stack` or this process ends. Returns the block node
    for QEMU.

    Its cache survives a guest, like a drive's. Raises CannotRun without nbdkit, GuestTrouble if it does not
    start.
    """
    if find(NBDKIT) is None:
        raise CannotRun(f"{NBDKIT} is not installed: the packages are {PACKAGES}.")
    socket, log = folder / f"{drive_name}.nbd", folder / f"{drive_name}.log"
    settings = {
        "checkout": CHECKOUT,
        "image": image,
        "size": size_bytes,
        "physical": PHYSICAL_BLOCK_BYTES,
        "shingled": int(model.shingled),
        "cache": model.cache_bytes,
        "band": model.band_bytes,
    }
    with log.open("wb") as words:
        server = subprocess.Popen(
            [
                *(
                    "setpriv",
                    "--pdeathsig",
                    "KILL",
                    "--",
                    NBDKIT,
                    "--foreground",
                    "--unix",
                    str(socket),
                    "python",
                    str(PLUGIN),
                ),
                *(f"{key}={value}" for key, value in settings.items()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            env={
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            start_new_session=True,
        )
    stack.callback(_end, server)
    limit = monotonic() + START_SECONDS
    while not socket.exists():
        if server.poll() is not None or monotonic() > limit:
            raise GuestTrouble(
                f"nbdkit does not serve {drive_name}: {log.read_text(errors='replace').strip() or 'no word'}"
            )
        sleep(0.02)
    return {"driver": "nbd", "server": {"type": "unix", "path": str(socket)}, "discard": "unmap"}


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
