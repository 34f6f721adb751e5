"""Every field the probe can fail to read has a readable name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import wizard.probe
from wizard.findings.use import ESSENTIAL, NAMES
from wizard.probe.interpret import CONTENT_FIELDS

MAKERS = {"unread": 0, "not_read": 0, "Unread": 0, "RawError": 0, "reported": 1, "Recorder": 1}
"""What the probe calls with the name of a field, and the position of that argument."""


def fields_named() -> Iterator[str]:
    """Yield the field names from the probe's calls."""
    for file in Path(wizard.probe.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            for name in node.args[MAKERS.get(node.func.id, len(node.args)) :][:1]:
                if isinstance(name, ast.Constant):
                    yield str(name.value)


def test_every_field_has_words() -> None:
    named = set(fields_named())
    assert {"smart", "layers", "nvme_formats"} <= named
    assert named | set(CONTENT_FIELDS) | set(ESSENTIAL) <= NAMES.keys()


def test_only_plain_words_equal_their_field_name() -> None:
    assert {name for name, said in NAMES.items() if str(said) == name} == {"partitions", "zones"}
