"""Check the gauges against their ceilings: `python -m tests.gauges [--lower]`.

A ceiling may only fall. `ceilings.toml` has each, with a reason for raised ones. `--lower` writes current
values.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.gauges import english, shape

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("ceilings.toml")
SLACK = 1.01
"""A ceiling this far above its gauge is lowered, or the gauge could climb back unseen."""

Ceilings = dict[str, float]
Reasons = dict[str, str]


def read(text: str) -> tuple[Ceilings, Reasons]:
    """Return the ceilings and the reasons for raised ones, by gauge."""
    found = tomllib.loads(text)
    return found["ceilings"], found.get("raised", {})


def faults(now: Ceilings, ceilings: Ceilings, earlier: Ceilings, raised: Reasons) -> list[str]:
    """Return a sentence for each gauge that is above its ceiling, and for each ceiling that is too high."""
    found = [f"{gauge} has no ceiling." for gauge in now.keys() - ceilings.keys()]
    found += [f"{gauge} is not measured." for gauge in ceilings.keys() - now.keys()]
    for gauge in now.keys() & ceilings.keys():
        value, ceiling = now[gauge], ceilings[gauge]
        if value > ceiling:
            found.append(f"{gauge}: {value:,} is above the ceiling of {ceiling:,}.")
        if ceiling > value * SLACK:
            found.append(
                f"{gauge}: {value:,} is well below {ceiling:,}. Lower the ceiling: tests.gauges --lower."
            )
        if ceiling > earlier.get(gauge, ceiling) and not raised.get(gauge):
            found.append(
                f"{gauge}: the ceiling was {earlier[gauge]:,}. A raised one needs a reason in [raised]."
            )
    return sorted(found)


def lowest_earlier(raised: Reasons) -> Ceilings:
    """Return the lowest ceilings of earlier commits, as far as the history is here."""
    path = str(FILE.relative_to(ROOT))
    lowest: Ceilings = {}
    for commit in _git("log", "--format=%H", "--", path).split():
        for gauge, ceiling in read(_git("show", f"{commit}:{path}"))[0].items():
            lowest[gauge] = min(ceiling, lowest.get(gauge, ceiling))
    return {gauge: ceiling for gauge, ceiling in lowest.items() if gauge not in raised}


def _git(*words: str) -> str:
    """Return git's output, or empty without git or outside a repository."""
    if shutil.which("git") is None:
        return ""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def render(ceilings: Ceilings, raised: Reasons, trace: Ceilings) -> str:
    """Return the file of ceilings. A separate test checks `trace`, which needs a real drive."""
    lines = [
        "# What `tests/run lint` measures may not be above these. A ceiling may only fall.",
        "",
        "[ceilings]",
    ]
    lines += [f'"{gauge}" = {value}' for gauge, value in ceilings.items()]
    lines += [
        "",
        "# Of the program, by an empty drive from its row to ready: tests/loop/desk/test_trace.py",
        "[trace]",
    ]
    lines += [f'"{name}" = {value}' for name, value in trace.items()]
    if raised:
        lines += ["", "[raised]", *(f'"{gauge}" = "{reason}"' for gauge, reason in raised.items())]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lower", action="store_true", help="write today's values down where they are lower")
    asked = parser.parse_args()
    now: Ceilings = {**shape.measure(ROOT), **english.measure(ROOT)}
    ceilings, raised = read(FILE.read_text())
    if asked.lower:
        ceilings = {gauge: min(value, ceilings.get(gauge, value)) for gauge, value in now.items()}
        FILE.write_text(render(ceilings, raised, tomllib.loads(FILE.read_text())["trace"]))
    for gauge, value in now.items():
        print(f"{gauge:<34} {value:>10,}   ceiling {ceilings.get(gauge, 0):>10,}")
    found = faults(now, ceilings, lowest_earlier(raised), raised)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
