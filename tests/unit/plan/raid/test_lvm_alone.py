"""LVM in a rehearsal: its configuration limits LVM to the scratch copies, without a trace."""

import re
from pathlib import Path

from wizard.apply.steps.layers import is_there
from wizard.apply.steps.step_context import alone_on
from wizard.operations.layers import LVM_WITHOUT_UDEV

NODES = ("/dev/loop7", "/dev/loop12")


def config(argv: tuple[str, ...]) -> str:
    assert argv.count("--config") == 1
    return argv[argv.index("--config") + 1]


def test_config_is_passed_once_and_merged() -> None:
    """LVM accepts --config only once."""
    told = alone_on(NODES, ("lvcreate", "--yes", *LVM_WITHOUT_UDEV, "--name", "mail", "group"))
    assert (told[0], told[3:]) == ("lvcreate", ("--yes", "--name", "mail", "group"))
    assert "udev_sync=0 udev_rules=0" in config(told)
    assert alone_on(NODES, ("mkfs.ext4", "-q", "/dev/loop7p1")) == ("mkfs.ext4", "-q", "/dev/loop7p1")


def test_lvm_sees_only_the_scratch_devices_and_their_partitions() -> None:
    said = config(alone_on(NODES, ("pvs",)))
    for words in (
        "use_devicesfile=0",
        'hints="none"',
        "backup=0 archive=0",
        "obtain_device_list_from_udev=0",
    ):
        assert words in said
    for name in ("filter", "global_filter"):
        (listed,) = re.findall(rf" {name}=\[(.*?)\](?= global|}})", said)
        *allowed, last = re.findall(r'"(.)\|(.*?)\|"', listed)
        assert last == ("r", ".*")
        patterns = [pattern for letter, pattern in allowed if letter == "a"]
        for node in ("/dev/loop7", "/dev/loop7p1", "/dev/loop12p3"):
            assert any(re.search(pattern, node) for pattern in patterns)
        for node in ("/dev/sda1", "/dev/loop70", "/dev/loop1", "/dev/mapper/x-loop7"):
            assert not any(re.search(pattern, node) for pattern in patterns)


def test_dangling_links_of_lvm_are_no_other_group(tmp_path: Path) -> None:
    folder = tmp_path / "group"
    folder.mkdir()
    (folder / "mail").symlink_to(tmp_path / "gone")
    assert not is_there(folder) and not is_there(tmp_path / "gone")
    (tmp_path / "gone").touch()
    assert is_there(folder)
