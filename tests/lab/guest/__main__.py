"""`python -m tests.lab.guest MODULE NUMBER`: run the jobs of a visit as root in a guest. MODULE is a short
name.

Prints each check at once as a line of JSON.
"""

import json
import sys
from time import monotonic

from tests.lab.errands.visit import find_job, visits
from tests.lab.guest.inside import assert_guest
from wizard.documents.codec import to_json


def main(module: str, number: str) -> int:
    """Return 0 if every job finished, whatever its checks."""
    assert_guest()
    visit = visits(module)[int(number)]
    for name in visit.jobs:
        begun = monotonic()
        for check in find_job(name, module)(visit.fleet):
            print(json.dumps(to_json(check)), flush=True)
        print(f"{name} {monotonic() - begun:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
