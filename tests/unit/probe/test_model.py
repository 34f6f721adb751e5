"""A drive's model: ATA has 40 characters, but the kernel's attribute only the first 16."""

import pytest

from tests.unit.probe import rawfacts
from tests.unit.probe.rawfacts import SYSFS
from wizard.probe.drive.reports import is_same_model
from wizard.probe.interpret import drive_of

WHOLE = "ST1000LM048-2E7172"
CUT = WHOLE[:16]


def model(in_sysfs: str, smart: str | None = None, **udev: str) -> str | None:
    raw = rawfacts.drive(sysfs={**SYSFS, "device/model": in_sysfs}, smart=smart, udev=udev)
    return drive_of(raw, rawfacts.machine(raw)).model


def test_model_cut_by_the_kernel_is_completed_by_smartctl_or_udev() -> None:
    assert model(CUT, smart=f'{{"model_name": "{WHOLE}"}}') == WHOLE
    assert model(CUT, ID_MODEL=WHOLE) == WHOLE
    assert model("LAB Rotating 512", ID_MODEL="LAB_Rotating_512e") == "LAB Rotating 512e"


def test_blank_at_the_cut_is_no_end() -> None:
    assert model("Samsung SSD 860 ", ID_MODEL="Samsung_SSD_860_EVO_500GB") == "Samsung SSD 860 EVO 500GB"
    assert is_same_model("Samsung SSD 860", "Samsung SSD 860 EVO 500GB")
    assert not is_same_model("Samsung SSD", "Samsung SSD 860 EVO 500GB")


def test_known_part_of_the_model_stays_without_them() -> None:
    assert model(CUT) == CUT


def test_other_name_is_not_used_as_the_rest_of_the_model() -> None:
    """A USB bridge has its own name, and smartctl reads the drive's."""
    assert model("Portable SSD 123", smart=f'{{"model_name": "{WHOLE}"}}') == "Portable SSD 123"
    assert model("Cruzer Blade    ", ID_MODEL="Cruzer_Blade_XYZ") == "Cruzer Blade"


@pytest.mark.parametrize("said", ["", "{", "[]", '{"model_name": 7}', '{"model_name": ""}', "[" * 100_000])
def test_nonsense_from_smartctl_is_ignored(said: str) -> None:
    assert model(CUT, smart=said) == CUT


def test_plan_made_without_root_knows_its_drive_with_root() -> None:
    assert is_same_model(CUT, WHOLE) and is_same_model(WHOLE, CUT) and is_same_model(None, None)
    assert not is_same_model("ST1000LM048", WHOLE)
    assert not is_same_model("Samsung SSD 970 EVO", "Samsung SSD 970 PRO") and not is_same_model(None, WHOLE)
