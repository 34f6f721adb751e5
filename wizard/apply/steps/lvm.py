"""What LVM's own tools say of volume groups and what lies in them."""

import json
from collections.abc import Callable, Sequence

from wizard.model.errors import Failed
from wizard.model.names import printable
from wizard.tools.run import Result

Do = Callable[[Sequence[str]], Result]
"""Runs a command to its end and says what came of it; raises Failed."""


def physical_volumes_of(group: str, do: Do) -> dict[str, str]:
    """The physical volumes of a group, by their nodes, with their UUIDs."""
    said = do(("pvs", "--noheadings", "--separator", " ", "--options", "pv_name,pv_uuid,vg_name")).output
    rows = [line.split() for line in said.splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == group}


def logical_names_in(group: str, do: Do) -> list[str]:
    """The names of a group's logical volumes; none where there is no such group."""
    said = do(("lvs", "--noheadings", "--separator", " ", "--options", "vg_name,lv_name")).output
    rows = [line.split() for line in said.splitlines()]
    return [row[1] for row in rows if len(row) == 2 and row[0] == group]


def asked(kind: str, fields: Sequence[str], what: str, do: Do) -> tuple[dict[str, str], ...]:
    """The rows that `pvs`, `vgs` or `lvs` has of `what`, with sizes in bytes. Raises Failed."""
    words = ("--reportformat", "json", "--units", "b", "--nosuffix", "--options", ",".join(fields))
    return rows(kind.removesuffix("s"), do((kind, *words, what)).output)


def rows(kind: str, text: str) -> tuple[dict[str, str], ...]:
    """The rows of LVM's JSON, by field; raises Failed for what is none. Pure."""
    try:
        return tuple(
            {str(key): str(value) for key, value in row.items()}
            for row in json.loads(text)["report"][0][kind]
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Failed(f"LVM said what diskwright cannot read: {printable(text, 80)}") from None
