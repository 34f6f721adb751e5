"""User profiles for tests, as in the user's profile folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wizard.documents import profiles

WORKLOAD = """id = "photos"
title = "Photographs"
summary = "Pictures of some megabytes each."
label = "photos"

[[choices]]
filesystem = "ext4"
place = "chosen"
sentence = "It suits."
evidence = ["mine-1"]
mkfs = ["ext4-no-reserve", "my-inode-size"]
mount = ["noatime"]

[[choices]]
filesystem = "xfs"
place = "second"
sentence = "It suits too."
schedulers = ["mq-deadline"]

[choices.shingled]
place = "rejected"
sentence = "Less here."

[[choices]]
filesystem = "btrfs"
place = "rejected"
sentence = "It suits less."

[choices.shingled]
place = "second"
sentence = "More here."
"""

OPTIONS = """[[options]]
id = "my-inode-size"
kind = "mkfs"
filesystems = ["ext4"]
text = "-I 512"
why = "Room for attributes."
since = "2.6"
at_least = "1GiB"
conflicts = ["noatime"]
"""

EVIDENCE = """[study]
title = "Mine"
source = "my desk"
era = "2026"
kernel = "6.12"
hardware = "a laptop"

[[measurements]]
id = "mine-1"
title = "Copying photographs"
unit = "s"
lower_is_better = true
figures = [["ext4", 3], ["xfs", 3.5]]
"""

Write = Callable[[str, str], Path]


def writing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return a function that writes a file such as `workloads/a.toml` to a user folder of this test."""
    monkeypatch.setattr(profiles, "profile_folders", lambda: (profiles.BUNDLED, folder))

    def put(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return put


def write_sound(write: Write) -> Path:
    """Write a valid workload with an option and a figure of the user, and return its path."""
    write("options/mine.toml", OPTIONS.replace('conflicts = ["noatime"]\n', ""))
    write("evidence/mine.toml", EVIDENCE)
    return write("workloads/photos.toml", WORKLOAD)


def line(path: Path, text: str, nth: int = 0) -> int:
    """Return the number, from 1, of the nth line that starts with `text`."""
    return [
        number for number, found in enumerate(path.read_text().splitlines(), 1) if found.startswith(text)
    ][nth]
