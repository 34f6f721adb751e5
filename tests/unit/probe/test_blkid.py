"""Superblocks and partition tables compared with `blkid -p` and sfdisk, in files with real filesystems."""

import json
import subprocess
from pathlib import Path

import pytest

from wizard.probe.content.blkid import read_content, read_partitions
from wizard.probe.facts import RawContent

SIZE = 320 << 20
UUID = "1f0a51bc-6bd5-4a9a-9e5a-6b6c7a3f2d10"
MAKERS = {
    "ext4": ("mkfs.ext4", "-q", "-F", "-U", UUID, "-L", "films"),
    "xfs": ("mkfs.xfs", "-q", "-m", f"uuid={UUID}", "-L", "films"),
    "btrfs": ("mkfs.btrfs", "-q", "-U", UUID, "-L", "films"),
    "swap": ("mkswap", "-q", "-U", UUID, "-L", "films"),
}
KEYS = {"TYPE": "kind", "USAGE": "usage", "LABEL": "label", "UUID": "uuid", "VERSION": "version"}


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    with path.open("wb") as file:
        file.truncate(SIZE)
    return path


def told(image: Path, *options: str) -> dict[str, str]:
    """Return the output of `blkid -p`: empty with status 2 for an unknown filesystem, status 8 if
    ambivalent."""
    argv = ["blkid", "-p", "-o", "export", *options, str(image)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2, 8), done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def make(image: Path, kind: str) -> None:
    subprocess.run([*MAKERS[kind], str(image)], check=True, capture_output=True)


@pytest.mark.parametrize("kind", MAKERS)
def test_superblock_is_read_as_blkid_prints_it(image: Path, kind: str) -> None:
    make(image, kind)
    found = read_content(str(image))
    (signature,) = found.signatures
    printed = told(image)
    assert not found.ambivalent and printed["TYPE"] == kind
    assert {key: getattr(signature, name) for key, name in KEYS.items() if key in printed} == {
        key: printed[key] for key in KEYS if key in printed
    }
    assert signature.offset_bytes is not None and signature.offset_bytes >= 0


def test_zeros_have_no_superblock(image: Path) -> None:
    assert read_content(str(image)) == RawContent() and not told(image)
    assert read_partitions(str(image)) == ("", ())


def test_part_is_read_alone(image: Path) -> None:
    make(image, "ext4")
    data = image.read_bytes()[: 8 << 20]
    image.write_bytes(bytes(1 << 20) + data + bytes(1 << 20))
    assert read_content(str(image)).signatures == ()
    (signature,) = read_content(str(image), 1 << 20, 8 << 20).signatures
    assert (signature.kind, signature.uuid) == ("ext4", UUID)
    assert told(image, "--offset", str(1 << 20))["UUID"] == UUID


def test_two_superblocks_are_both_read_and_contradict_each_other(image: Path) -> None:
    make(image, "btrfs")
    with image.open("r+b") as file:
        file.seek(4096 - 10)
        file.write(b"SWAPSPACE2")
        file.seek(1024)
        file.write((1).to_bytes(4, "little") + (2000).to_bytes(4, "little"))
    found = read_content(str(image))
    assert {one.kind for one in found.signatures} == {"swap", "btrfs"} and found.ambivalent
    assert "TYPE" not in told(image)


def test_label_that_is_not_text_is_read(image: Path) -> None:
    make(image, "ext4")
    with image.open("r+b") as file:
        file.seek(1024 + 0x78)
        file.write(b"f\xff\xfems".ljust(16, b"\0"))
    (signature,) = read_content(str(image)).signatures
    assert signature.label == "f\ufffd\ufffdms"


@pytest.mark.parametrize("table", ["gpt", "dos"])
def test_partitions_match_sfdisk(image: Path, table: str) -> None:
    """Unnamed partitions crashed the previous binding."""
    script = f"label: {table}\nstart=2048,size=20480\nstart=40960,size=204800,type=L\n"
    subprocess.run(["sfdisk", "-q", str(image)], input=script, text=True, check=True, capture_output=True)
    printed = subprocess.run(["sfdisk", "--json", str(image)], capture_output=True, text=True, check=True)
    wanted = json.loads(printed.stdout)["partitiontable"]["partitions"]
    kind, parts = read_partitions(str(image))
    assert kind == table
    assert [(one.number, one.start_bytes, one.size_bytes) for one in parts] == [
        (number, one["start"] * 512, one["size"] * 512) for number, one in enumerate(wanted, 1)
    ]
    assert table == "gpt" or [one.type for one in parts] == [0x83, 0x83]


def test_unopenable_device_gives_the_reason(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_content(str(tmp_path / "missing"))
    with pytest.raises(OSError, match="libblkid cannot read"):
        read_content(str(tmp_path))
