"""`diskwright options`: output for people and for programs."""

import json
from pathlib import Path

import pytest

from tests.unit.pages import page_lines
from wizard.advice.catalogue import load_catalogue
from wizard.cli.lists import chosen_options, option_blocks
from wizard.cli.main import main
from wizard.model.errors import BadInput
from wizard.model.machine import Kernel

KERNEL = Kernel("6.12.9-arch1", frozenset({"ext4", "xfs", "btrfs"}))
RECORDED = Path(__file__).parents[2] / "machines/control.json"


def lines(filesystem: str | None = None, *, danger: bool = False, kernel: Kernel = KERNEL) -> list[str]:
    chosen = chosen_options(load_catalogue().values(), filesystem, danger=danger)
    return page_lines(option_blocks(chosen, kernel))


def paragraph(said: list[str], name: str) -> str:
    """Return the text about an option as one line."""
    start = next(number for number, line in enumerate(said) if line.endswith(f" [{name}]"))
    return " ".join(" ".join(said[start : said.index("", start)]).split())


def test_option_shows_effect_danger_and_syntax() -> None:
    said = paragraph(lines("ext4"), "ext4-data-writeback")
    assert said.startswith("data=writeback [ext4-data-writeback] Metadata does not wait")
    assert "DANGER: After a crash" in said
    assert (
        'typing the danger: "after a crash files can show deleted data of others". Never available on system'
        in said
    )


def test_kernel_and_conflicts_are_named() -> None:
    said = lines("btrfs", kernel=Kernel("5.4.0", frozenset({"btrfs"})))
    assert said[0] == "Judged for kernel 5.4.0."
    checksum = paragraph(said, "btrfs-csum-xxhash")
    assert "Requires kernel 5.5 or later; running 5.4.0." in checksum
    assert "Conflicts with: btrfs-csum-sha256." in checksum
    assert "Kernels from 5.1 on." in paragraph(said, "btrfs-compress-zstd-1")


def test_every_option_is_listed_once_and_no_line_is_too_wide() -> None:
    said = lines()
    for name in load_catalogue():
        assert sum(line.split()[-1:] == [f"[{name}]"] for line in said) == 1, name
    assert all(len(line) <= 80 for line in said)


def test_list_of_one_filesystem_shows_no_other() -> None:
    said = "\n".join(lines("xfs"))
    assert "logbsize=256k" in said and "noatime" in said and "mq-deadline" in said
    assert "has_journal" not in said and "zstd" not in said


def test_only_the_dangers() -> None:
    chosen = chosen_options(load_catalogue().values(), "ext4", danger=True)
    assert {"ext4-no-journal", "ext4-barrier-0", "ext4-data-writeback"} <= {option.id for option in chosen}
    assert all(option.danger for option in chosen)


def test_unknown_filesystem_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"Unknown filesystem 'zfs\?'; known: btrfs, "):
        lines("zfs\x1b")


def test_document_has_every_field_and_kernel_support(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "xfs", "--json", "--machine", str(RECORDED)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "diskwright.options/1" and document["kernel"].startswith("6.1.")
    found = {option["id"]: option for option in document["options"]}
    assert found["xfs-nobarrier"]["kernel"]["takes"] is False and found["xfs-nobarrier"]["danger"]
    assert (
        found["xfs-bigtime"]["kernel"] == {"takes": True, "why": ""}
        and found["xfs-bigtime"]["since"] == "5.10"
    )
