"""Actions outside the guest on request of a job."""

from time import monotonic, sleep

from tests.lab.guest.inside import SHARED, SLOW
from tests.lab.guest.monitor import ANSWER, PAUSE_SECONDS, REQUEST


def ask_host(verb: str, what: str) -> None:
    """Ask the host for an action (see monitor.REQUEST) and wait for it. Fails the job if it fails."""
    answer, part = SHARED / ANSWER, SHARED / "request.part"
    answer.unlink(missing_ok=True)
    part.write_text(f"{verb} {what}")
    part.rename(SHARED / REQUEST)
    limit = monotonic() + SLOW
    while not answer.exists():
        assert monotonic() < limit, f"The host does not {verb} {what}."
        sleep(PAUSE_SECONDS)
    said = answer.read_text()
    assert said == "done", said
