"""A stack that fails while it is built stands in the end, or says why not."""

import pytest

from tests.lab.drives import masonry
from tests.lab.drives.layers import TWO, Made, Md, Stack
from tests.lab.drives.masonry import Built, build
from wizard.model.errors import Failed

MIRROR = Stack("mirror", TWO, (Md(1, metadata="0.90"), Made("ext4")), (), ())


class Tools:
    """Stands in for the tools of the guest: so many calls of mkfs fail."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.calls: list[str] = []

    def __call__(self, *argv: str, accept: object = ()) -> str:
        self.calls.append(" ".join(word for word in argv if "=" not in word and word != "env"))
        if argv[0] == "mkfs.ext4" and self.failures:
            self.failures -= 1
            raise Failed("mkfs.ext4 ended with status 1: Input/output error.")
        return ""


def built_with(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> Built:
    monkeypatch.setattr(masonry, "tool", tools)
    monkeypatch.setattr(masonry, "kernels_node", str)
    built = Built(MIRROR, 9, [("one", "/dev/vda7"), ("two", "/dev/vdb7")])
    build(built)
    return built


def test_once_more_from_the_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = Tools(failures=1)
    built = built_with(tools, monkeypatch)
    assert [call.split()[0] for call in tools.calls] == ["mdadm", "mkfs.ext4", "mdadm", "mdadm", "mkfs.ext4"]
    assert tools.calls[2] == "mdadm --stop --quiet /dev/md109"
    assert built.nodes == ["/dev/md109"] and len(built.undo) == 1 and built.tops == ["/dev/md109"]


def test_not_a_third_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failed, match="Input/output error"):
        built_with(Tools(failures=2), monkeypatch)
