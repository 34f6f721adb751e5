"""An ordinary user's interface without a screen: `python -m tests.loop.root.plain_user DRIVE RUNS
[TOKEN]`. Prints each observation as a line of JSON."""

import json
import sys
from pathlib import Path

from tests.loop.applying import spec
from tests.loop.program import DiskwrightError, Mode
from wizard.host.services import Services
from wizard.plan.request.plan_request import NewVolumes


def say(**seen: object) -> None:
    print(json.dumps(seen), flush=True)


def main(path: str, runs: str, token: str | None = None) -> None:
    """Inspect, ask for root, inspect again, plan, apply, and follow the run twice."""
    services = Services(journal_dir=Path(runs))
    unread = next(drive for drive in services.probe(lambda _: None).drives if drive.path == path)
    say(asks=services.asks_for_root, obstacle=services.apply_obstacle, table=unread.table is not None)
    try:
        services.obtain_root()
        answered: list[str] = []
        machine = services.probe(lambda found: answered.append(found.drives[0].path))
        drive = next(drive for drive in machine.drives if drive.path == path)
        say(
            asks=services.asks_for_root,
            table=drive.table is not None,
            answered=path in answered,
            root=machine.root,
        )
        plan = services.plan(machine, (drive,), NewVolumes((spec("ext4"),), Mode.REPLACE))
        rooms = [str(services.undo_space(plan).sentence) for _ in range(2)]
        run = services.as_root().start(plan, (token or plan.drive.token,))
    except DiskwrightError as error:
        say(error=type(error).__name__, sentence=str(error), asks=services.asks_for_root)
        return
    say(run=str(run), rooms=rooms)
    first = [entry.sentence for entry in services.runs.follow(run)]
    say(
        state=services.runs.state(run),
        sentences=first,
        again=[entry.sentence for entry in services.runs.follow(run)] == first,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
