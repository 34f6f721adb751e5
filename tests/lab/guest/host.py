"""What a job in a guest can have done outside of it."""

from time import monotonic, sleep

from tests.lab.guest.inside import SHARED, SLOW
from tests.lab.guest.monitor import ANSWER, PAUSE_SECONDS, REQUEST


def ask_host(verb: str, what: str) -> None:
    """Have the host do something (see monitor.REQUEST), and wait until it has; fails the job where it has
    not."""
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
