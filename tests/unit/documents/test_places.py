"""Positions in a document, in words."""

import pytest

from wizard.documents.codec import from_json
from wizard.documents.files import whole
from wizard.model.ensure import Match, WantedDrives
from wizard.model.errors import BadInput


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("", "the document"),
        ("id", "`id`"),
        ("study.era", "study, `era`"),
        ("drive[0].volume[11].size", "drive 1, volume 12, `size`"),
        ("measurements[1].figures[0][1]", "measurements 2, figures 1.2"),
    ],
)
def test_positions_are_counted_from_one(place: str, said: str) -> None:
    assert whole(place) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "d.json: the document must be a table, not a list."),
        ({"serial": None, "model": {}}, "d.json: `model` must be text, not a table."),
        ({"path": True}, "d.json: `path` must be text, not a boolean (true or false)."),
    ],
)
def test_json_errors_are_worded_like_toml_errors(value: object, said: str) -> None:
    with pytest.raises(BadInput) as error:
        from_json(value, Match, "d.json")
    assert str(error.value) == said


def test_containing_element_comes_first() -> None:
    drive = {"match": {"serial": 1}, "volume": []}
    with pytest.raises(BadInput, match=r"^d\.json, drive 1, match: `serial` must be text, not a number\.$"):
        from_json({"schema": "diskwright.wanted/1", "drive": [drive]}, WantedDrives, "d.json")
