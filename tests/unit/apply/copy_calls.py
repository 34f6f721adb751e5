"""Calls of a copy, to kill before each."""

from collections.abc import Callable

import pytest

from wizard.apply.copy import compare_copy, copy_tree
from wizard.apply.copy import job as running
from wizard.apply.copy.copied import BringSite, EntryList
from wizard.apply.run import backup_store
from wizard.apply.settings import states
from wizard.apply.system import edited_file

PLACES = (
    (copy_tree, "copy_entry"),
    (copy_tree, "make_folder"),
    (copy_tree, "make_link"),
    (copy_tree, "give_name"),
    (copy_tree, "walk"),
    (copy_tree, "finish_folder"),
    (copy_tree, "set_flags"),
    (copy_tree, "_remove"),
    (backup_store, "replace_document"),
    (backup_store, "replace_durably"),
    (EntryList, "add"),
    (BringSite, "sync"),
    (running, "compare"),
    (compare_copy, "differences"),
    (running, "_take_place"),
    (edited_file, "sync_folder"),
    (states, "read"),
)


def small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(copy_tree, "BATCH_ENTRIES", 8)


def count_calls(patch: pytest.MonkeyPatch, on_call: Callable[[int], None]) -> Callable[[], int]:
    """Call `on_call` with a counter at each call of one of PLACES."""
    calls = 0

    def heard(real: Callable[..., object]) -> Callable[..., object]:
        def call(*words: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            on_call(calls)
            return real(*words, **named)

        return call

    for module, name in PLACES:
        patch.setattr(module, name, heard(getattr(module, name)))
    return lambda: calls
