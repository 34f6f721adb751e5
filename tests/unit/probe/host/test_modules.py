"""A kernel's modules: from lists, from loaded modules, and without either."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.probe import rawfacts
from wizard.probe.host.system import (
    LAYER_MODULES,
    has_loop,
    listed_modules,
    modules_below,
)
from wizard.probe.interpret import machine_of

DEP = """kernel/fs/xfs/xfs.ko.xz: kernel/lib/libcrc32c.ko.xz
kernel/drivers/md/dm-mod.ko.xz: kernel/drivers/dax/dax.ko
kernel/drivers/md/dm-crypt.ko.xz: kernel/drivers/md/dm-mod.ko.xz
kernel/drivers/md/persistent-data/dm-persistent-data.ko:
"""
BUILTIN = "kernel/fs/ext4/ext4.ko\nkernel/drivers/md/md-mod.ko\nkernel/drivers/md/raid1.ko\n"

Listed = tuple[str, ...] | None


def known(shown: Listed, listed: Listed, loads: bool | None) -> dict[str, bool]:
    raw = replace(rawfacts.machine(), shown_modules=shown, listed_modules=listed, loads_modules=loads)
    return dict(machine_of(raw).kernel.modules)


def test_modules_are_found_in_both_lists(tmp_path: Path) -> None:
    (tmp_path / "modules.dep").write_text(DEP)
    (tmp_path / "modules.builtin").write_text(BUILTIN)
    listed = listed_modules(tmp_path)
    assert modules_below(listed, "kernel/fs/") == {"ext4", "xfs"}
    layers = {"dm_mod", "dm_crypt", "dm_persistent_data", "md_mod", "raid1"}
    assert modules_below(listed, "kernel/drivers/md/") == layers
    assert listed_modules(tmp_path / "nowhere") == ""


@pytest.mark.parametrize("loads", [True, False])
def test_lists_determine_each_module(loads: bool) -> None:
    assert known(("dm_mod",), ("dm_crypt", "md_mod", "raid1"), loads) == {
        **{"dm_mod": True, "dm_crypt": True},
        **{"md_mod": True, "raid0": False, "raid1": True},
    }


def test_part_without_its_whole_does_not_count() -> None:
    assert known((), ("dm_crypt", "raid0"), True) == dict.fromkeys(LAYER_MODULES, False)


def test_builtin_parts_are_unknown_without_lists() -> None:
    assert known(("dm_mod", "md_mod", "raid1"), None, False) == {
        "dm_mod": True,
        "md_mod": True,
        "raid1": True,
    }


def test_kernel_without_module_loading_has_only_visible_features() -> None:
    assert known((), None, False) == dict.fromkeys(LAYER_MODULES, False)


def test_missing_lists_leave_modules_unknown() -> None:
    assert known((), None, True) == {}


def test_old_recording_leaves_modules_unknown() -> None:
    kernel = machine_of(rawfacts.machine()).kernel
    assert kernel.modules == ()
    assert not any(kernel.lacks(module) for module in LAYER_MODULES)


@pytest.mark.parametrize(
    ("listed", "shown", "loads", "has"),
    [
        ("kernel/drivers/block/loop.ko.zst:", False, True, True),
        ("kernel/drivers/block/nbd.ko:", True, True, True),
        ("kernel/drivers/block/nbd.ko:", False, True, False),
        ("", True, False, True),
        ("", False, False, False),
        ("", False, True, None),
    ],
)
def test_loop_devices_are_present_missing_or_unknown(
    listed: str, shown: bool, loads: bool, has: bool | None
) -> None:
    found = has_loop(listed, shown=shown, loads_modules=loads)
    assert found is has
    kernel = machine_of(replace(rawfacts.machine(), has_loop=found)).kernel
    assert dict(kernel.modules).get("loop") is has
    assert kernel.lacks("loop") is (has is False)
