"""Arrays of others, and of a run that failed. What the tools say is told here; the lab asks the tools
themselves."""

from collections.abc import Mapping, Sequence

import pytest

from tests.unit.plan.raid.stripes import MD
from wizard.apply.block import devices
from wizard.apply.steps import arrays
from wizard.apply.steps.arrays import check_free_array, stop_own_array
from wizard.model.errors import Failed, Refused
from wizard.operations.layers import array_uuid
from wizard.process.program import Result


class Tools:
    """Programs that say what they are told to, or fail; every call is kept."""

    def __init__(self, says: Mapping[str, str]) -> None:
        self.says = says
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str], **_: object) -> Result:
        self.calls.append(tuple(argv))
        words = " ".join(argv)
        said = next((text for start, text in self.says.items() if words.startswith(start)), None)
        if said is None:
            raise Failed(f"{argv[0]} ended with status 1")
        return Result(0, said, "", 0.0)


def running(monkeypatch: pytest.MonkeyPatch, *nodes: str) -> None:
    monkeypatch.setattr(arrays, "layers_on", lambda _: nodes)
    monkeypatch.setattr(devices, "open_exclusively", lambda _: None)


def detail() -> dict[str, str]:
    return {"mdadm --detail": f"MD_UUID={MD.arrays[0].mdadm_uuid}\n"}


def test_uuid_of_a_running_array_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MD.stripe is not None
    uuid = array_uuid(MD.stripe.uuids[0])
    for scanned, other in (
        (f"ARRAY /dev/md/0 metadata=1.2 name=any:films UUID={uuid}\n", True),
        ("ARRAY /dev/md/0 UUID=1:2:3:4\n", False),
    ):
        monkeypatch.setattr(arrays, "run", Tools({"mdadm --detail --scan": scanned}))
        if other:
            with pytest.raises(Refused, match="UUID="):
                check_free_array(MD.arrays[0])
        else:
            check_free_array(MD.arrays[0])


def test_array_of_a_failed_run_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    tools = Tools({"mdadm --stop": "", **detail()})
    stop_own_array(MD.arrays[0], tools)
    assert tools.calls[1:] == [("mdadm", "--stop", "/dev/md127")]


def test_foreign_array_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    tools = Tools({"mdadm --stop": "", "mdadm --detail": "MD_UUID=1:2:3:4\n"})
    with pytest.raises(Failed, match="this run did not make it"):
        stop_own_array(MD.arrays[0], tools)
    assert len(tools.calls) == 1


def test_array_in_use_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "/dev/md127")
    monkeypatch.setattr(devices, "open_exclusively", lambda _: "somebody has it")
    with pytest.raises(Failed, match="in use: somebody has it"):
        stop_own_array(MD.arrays[0], Tools(detail()))
