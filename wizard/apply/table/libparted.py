"""Having libparted write a table, in a fresh process, with the types put in afterwards that it cannot set."""

import json
from dataclasses import replace

from wizard.apply.run.process import module_argv
from wizard.apply.steps.step_context import Site
from wizard.apply.table.type_codes import set_types
from wizard.documents.codec import to_json
from wizard.model.errors import Failed
from wizard.model.plan import WriteTable
from wizard.model.said import t

LIBPARTED_ABORTED = -6
"""SIGABRT: a failed assertion."""


def have_written(operation: WriteTable, site: Site, node: str = "") -> None:
    """Have the operation's table written, to its drive or to `node` in its place. Raises Failed; then it may
    be half written."""
    there = replace(operation, device=node or operation.device)
    result = site.command(
        module_argv("wizard.apply.table.worker"),
        stdin=json.dumps(to_json(there)).encode(),
        accept=(0, 1, LIBPARTED_ABORTED),
        shown=("libparted", there.table, there.device),
    )
    if result.status == LIBPARTED_ABORTED:
        raise Failed(
            t(
                "libparted gave up on {device} (it aborted); the table on it may be half written.",
                device=there.device,
            )
        )
    if result.status:
        raise Failed(
            t(
                "libparted did not write the table of {device}: {why}",
                device=there.device,
                why=result.last_words,
            )
        )
    set_types(there, site.member.drive.geometry.logical_block_bytes)
