"""Findings of the drive under the cursor are visible on small terminals and in long lists."""

from functools import partial

import pytest

from tests.bench.crowd import crowd
from tests.looks.rehearsal import Hand, flat, perform, press, ready, until
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.host.services import Services
from wizard.model.finding import Severity
from wizard.probe.interpret import machine_of
from wizard.ui.components.drive_rows import finding_paras

MACHINE = machine_of(crowd(12))
WORDS = 3


def in_sight(pilot: Hand, words: str) -> bool:
    return words in flat(pilot)


@pytest.mark.parametrize("size", [(60, 16), (80, 24)])
def test_worst_finding_of_each_drive_is_visible(size: tuple[int, int]) -> None:
    patterns = load_patterns()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, "g")
        for number, drive in enumerate(MACHINE.drives[:5]):
            if number:
                await press(pilot, "down")
            found = diagnose(MACHINE, drive, patterns).findings
            worst = next(iter(finding_paras(found)), None)
            if worst is None or found[0].severity in (Severity.OK, Severity.INFO):
                continue
            begins = " ".join(str(worst.pieces[1].text).split()[:WORDS])
            await until(partial(in_sight, pilot, begins), pilot)

    perform(job, Services(MACHINE, "many.json"), size=size)
