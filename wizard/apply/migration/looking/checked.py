"""Whether an ext filesystem is whole, by its own checker, as far as that can be known while a person
waits."""

from wizard.apply.migration.steps import first_error
from wizard.migrate.steps import CHECKER, proof
from wizard.model.errors import Failed
from wizard.model.ext import ExtFacts
from wizard.tools.program import find, run

CHECK_SECONDS = 20.0
"""A large filesystem takes longer: then nothing is known, and the run's first step finds it out."""

ERRORS_LEFT = 4
"""In e2fsck's status (e2fsck(8)): it found errors and left them. Others say that it could not check."""


def damage(path: str, read: ExtFacts) -> str | None:
    """The first error that e2fsck finds, without changing anything; empty where it finds none, None where
    that was not found out.

    A journal that waits to be replayed, and a filesystem in use, look damaged to it and are not.
    """
    if not read.clean or read.needs_recovery or read.half_done or find(CHECKER) is None:
        return None
    try:
        checked = run(proof(path), seconds=CHECK_SECONDS, accept=range(256))
    except Failed:
        return None
    if checked.status & ERRORS_LEFT:
        return str(first_error(checked.output))
    return "" if checked.status == 0 else None
