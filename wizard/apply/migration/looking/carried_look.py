"""Finding again, on a rescue medium, the filesystem of a way to ext4 that was carried there, and planning the
way anew."""

from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.apply.migration.looking.look import look_at_ext
from wizard.apply.run.environment import Environment
from wizard.apply.transaction.transaction import nodes_holding
from wizard.migrate.carry import difference, not_there
from wizard.migrate.make import make_migration
from wizard.model.documents.carried import Carried
from wizard.model.documents.migration import Migration
from wizard.model.errors import Refused
from wizard.model.said import t


def migration_of_carried(
    carried: Carried,
    environment: Environment,
    *,
    store: Path | None = None,
    undo_dir: Path | None = None,
    journal_dir: Path | None = None,
) -> Migration:
    """The way with every step, for the filesystem as it is now, on whatever device has it.

    Raises Refused where it is missing, there twice or another by now, and as `make_migration` does. Nothing
    is written.
    """
    situation = look_at_ext(
        node_of_carried(carried), environment, store=store, undo_dir=undo_dir, journal_dir=journal_dir
    )
    if found := difference(carried, situation):
        raise Refused(
            t(
                "{device} is not what the plan was made for: {difference}. Make the plan "
                "again. Nothing was written.",
                device=situation.device,
                difference=found,
            )
        )
    return make_migration(situation, carried.way, manifest=carried.manifest, repairs=carried.repairs)


def node_of_carried(carried: Carried) -> str:
    """The device that has the filesystem now, by its UUID; raises Refused where none has it, or several."""
    # A member of a mirror can look like the mirror itself.
    found = [
        node
        for node in nodes_holding(carried.before.uuid)
        if not any((SYS_BLOCK / kernel_name(node) / "holders").glob("*"))
    ]
    if not found:
        raise Refused(not_there(carried))
    if len(found) > 1:
        raise Refused(
            t(
                "The filesystem {uuid} is there {times} times: {nodes:list}. Detach the "
                "copies, so that it is plain which one is meant. Nothing was written.",
                uuid=carried.before.uuid,
                times=len(found),
                nodes=tuple(found),
            )
        )
    return found[0]
