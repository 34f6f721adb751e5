"""An entry of a journal as a line of JSON, and back.

What was said is written as a code and its values, and becomes text where the journal is read. Lines of older
versions hold the text.
"""

import json
from dataclasses import replace
from typing import TypeGuard

from wizard.documents.codec import JSON, from_json, to_json
from wizard.documents.foreign import foreign, is_said
from wizard.model.errors import BadInput
from wizard.model.journal import Entry
from wizard.model.said import Said


def line_of(entry: Entry) -> bytes:
    """The line of an entry: with what was said, or else with its text."""
    plain: JSON = to_json(entry)
    if entry.said is not None:
        del plain["sentence"]
    return (json.dumps(plain, default=str) + "\n").encode()


def entry_of(line: str, where: str) -> Entry:
    """The entry of a line, its sentence in the language of this process. Raises ValueError for what is no
    JSON, and BadInput, naming `where`, for what is no entry."""
    plain: object = json.loads(line)
    if not _is_table(plain) or "said" not in plain:
        return from_json(plain, Entry, where)
    written = plain["said"]
    rest = {name: value for name, value in plain.items() if name != "said"}
    try:
        said = from_json(written, Said, where)
    except BadInput:
        if not is_said(written):
            raise
        # A newer version wrote it, and knows more sentences.
        return from_json({**rest, "sentence": foreign(written)}, Entry, where)
    return replace(from_json({**rest, "sentence": str(said)}, Entry, where), said=said)


def in_own_words(entry: Entry) -> Entry:
    """An entry that another process read, in the language of this one."""
    return entry if entry.said is None else replace(entry, sentence=str(entry.said))


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)
