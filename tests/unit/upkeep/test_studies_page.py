"""The page about the studies: every false statement is detected."""

from dataclasses import replace

import pytest

from tests import studies
from tests.studies import TOOLS, Tool
from wizard.advice.workloads import load_workloads
from wizard.filesystems.registry import KINDS


def test_page_has_no_faults() -> None:
    assert list(studies.faults()) == []


@pytest.mark.parametrize(
    ("tool", "fault"),
    [
        (Tool("x", ("choice",), "", loads=("no-load",)), "x: there is no load no-load."),
        (
            Tool("x", ("choice",), "By `fly`.", commands=("fly",)),
            "x: fly is not a command, or missing in the text.",
        ),
        (
            Tool("x", ("choice",), "By nothing.", commands=("plan",)),
            "x: plan is not a command, or missing in the text.",
        ),
        (Tool("x", ("choice",), "", options=("no-*",)), "x: the catalogue has no option no-*."),
    ],
)
def test_mistake_about_a_tool_is_reported(tool: Tool, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "TOOLS", (*TOOLS, tool))
    assert list(studies.faults()) == [fault]


def test_load_without_a_tool_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    without = tuple(
        replace(tool, loads=tuple(name for name in tool.loads if name != "rsync")) for tool in TOOLS
    )
    monkeypatch.setattr(studies, "TOOLS", without)
    assert list(studies.faults()) == ["No tool here lists the load rsync."]


def test_every_filesystem_of_the_studies_is_listed() -> None:
    """Compare with a manual list of the filesystems in the texts of the studies."""
    named = "btrfs ext2 ext3 ext4 jffs2 jfs nilfs2 ntfs reiser4 reiserfs swap ufs vfat xfs yaffs2"
    assert sorted(studies.studied()) == named.split()


def test_every_dead_filesystem_has_a_way_off() -> None:
    table = studies.not_created()
    for name in ("ext2", "ext3", "jffs2", "reiser4", "reiserfs", "ufs", "yaffs2"):
        assert f"| {KINDS[name].title} | {KINDS[name].why_not} | {KINDS[name].way_off} |" in table


def test_places_match_the_profiles() -> None:
    table = {line.split(" | ")[0]: line for line in studies.filesystems(load_workloads()).splitlines()}
    assert "first for `large-media`, `database`, `vm-images`" in table["| XFS"]
    assert "on shingled drives first for `large-media`" in table["| ext4"]
    assert "| no | no | if the kernel supports it | no |" in table["| ReiserFS"]
