"""Options of the Ansible module: documented, checked, and equal to those of `diskwright ensure`."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from msgspec.structs import fields

from wizard.model.ensure import Match, WantedDrive, WantedVolume
from wizard.plan.request.roles import ROLES
from wizard.plan.request.volume_request import ENCRYPTIONS

FILE = Path(__file__).parents[3] / "packaging/ansible/plugins/modules/drives.py"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module that is loaded here
    """Ansible module loaded without Ansible."""
    basic = ModuleType("ansible.module_utils.basic")
    basic.AnsibleModule = object  # type: ignore[attr-defined]
    for name in ("ansible", "ansible.module_utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, basic.__name__, basic)
    spec = spec_from_file_location("drives", FILE)
    assert spec is not None and spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def documented(text: str) -> dict[str, str]:
    """Return the type of each documented option by path, such as `drives.volume.size`."""
    found: dict[str, str] = {}
    place: list[tuple[int, str]] = []
    for line in text[text.index("\noptions:") : text.index("\nattributes:")].splitlines():
        indent = len(line) - len(line.lstrip())
        if match := re.fullmatch(r" +(\w+):", line):
            place = [*(one for one in place if one[0] < indent), (indent, match[1])]
        elif match := re.fullmatch(r" +type: (\w+)", line):
            path = ".".join(name for at, name in place if at < indent and name != "suboptions")
            found[path] = match[1]
    return found


def declared(options: dict[str, Any], above: str = "") -> dict[str, str]:
    found = {}
    for name, option in options.items():
        found[f"{above}{name}"] = option["type"]
        found |= declared(option.get("options", {}), f"{above}{name}.")
    return found


def test_every_option_is_documented_with_its_type(module: Any) -> None:  # noqa: ANN401
    options = declared(module.OPTIONS)
    # The documentation has an alias for the keys of a further match.
    assert documented(module.DOCUMENTATION) == {
        name: kind for name, kind in options.items() if not name.startswith("drives.also.")
    }


def test_options_match_the_document(module: Any) -> None:  # noqa: ANN401
    for options, kind in ((module.DRIVE, WantedDrive), (module.VOLUME, WantedVolume), (module.MATCH, Match)):
        assert {*options} == {*kind.__struct_fields__}
    for name in ("mirror", "stripe", "table"):
        (held,) = (field.type for field in fields(WantedDrive) if field.name == name)
        words = {word for one in (held, *get_args(held)) for word in get_args(one) if type(word) is str}
        assert {*module.DRIVE[name]["choices"]} == words
    assert {*module.VOLUME["role"]["choices"]} <= {*ROLES}
    assert module.VOLUME["encrypt"]["choices"] == [*ENCRYPTIONS]


def test_omitted_option_is_not_sent(module: Any) -> None:  # noqa: ANN401
    task = [{"match": {"serial": "A", "path": None}, "volume": [{"size": 10, "label": None}], "lvm": False}]
    sent = [{"match": {"serial": "A"}, "volume": [{"size": 10}], "lvm": False}]
    assert module.given(task) == sent and module.given(None) is None
