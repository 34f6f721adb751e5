"""`python -m tests.machines [NAME...]`: record the machines of loop devices again, all or those named.
Needs root."""

import argparse

from tests.machines.made import MACHINES
from tests.machines.record import keep, may_record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(MACHINES)}")
    names = parser.parse_args().names or list(MACHINES)
    if unknown := sorted(set(names) - set(MACHINES)):
        parser.error(f"there is no machine {unknown[0]}")
    if not may_record():
        raise SystemExit("Recording needs root and loop devices.")
    for name in names:
        if told := keep(name, MACHINES[name]):
            raise SystemExit(f"{name} is not kept: it would tell of this computer ({told}).")
        print(f"{name}: {len(MACHINES[name])} drives")


if __name__ == "__main__":
    main()
