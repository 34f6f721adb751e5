"""Messages of another version of the program that this one cannot read: shown as their text or code, and
values."""

from typing import TypeGuard

from wizard.documents.decode import Misfit, decode
from wizard.model.said import Said, t

DEEPEST = 8
"""So many lists and tables within each other are looked through, as deep as documents are."""


def is_said(value: object) -> TypeGuard[dict[str, object]]:
    """Whether it has the form of a sentence, whoever knows that."""
    return (
        _is_table(value)
        and value.keys() - {"several"} in ({"code", "values"}, {"english", "values"})
        and isinstance(_key(value), str)
        and isinstance(value["values"], dict)
    )


def foreign(value: object, deepest: int = DEEPEST) -> str:
    """A sentence that nobody here knows, as its code and its values."""
    if not deepest:
        return "..."
    if isinstance(value, list):
        return ", ".join(foreign(one, deepest - 1) for one in value)
    if not is_said(value):
        return "..." if _is_table(value) else str(value)
    values = value["values"]
    named = values.items() if _is_table(values) else ()
    told = tuple(f"{name} {foreign(one, deepest - 1)}" for name, one in named)
    return str(t("{code} ({values:list})", code=str(_key(value)), values=told))


def _key(value: dict[str, object]) -> object:
    return value["code"] if "code" in value else value["english"]


def known_or_text(value: object, deepest: int = DEEPEST) -> object:
    """What a document holds, with text for each sentence that nobody here knows."""
    if not deepest:
        return value
    if isinstance(value, list):
        return [known_or_text(one, deepest - 1) for one in value]
    if is_said(value):
        return value if _is_known(value) else foreign(value)
    if _is_table(value):
        return {name: known_or_text(one, deepest - 1) for name, one in value.items()}
    return value


def _is_known(value: object) -> bool:
    try:
        decode(value, Said)
    except Misfit:
        return False
    return True


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)
