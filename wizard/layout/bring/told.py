"""What is brought, in words, the same on every face. Pure."""

from wizard.filesystems.registry import title_of
from wizard.layout.changes.steps_of import change_steps
from wizard.model.documents.bring import Bring
from wizard.model.documents.changes import ChangeStep
from wizard.model.names import printable
from wizard.model.said import Said, t


def amount_said(bring: Bring) -> tuple[Said, ...]:
    """From where to where, how much it is, and that it fits."""
    source, target, amount = bring.source, bring.target, bring.amount
    return (
        t(
            "{source} ({from_kind}) to {folder}, on {device} ({to_kind})",
            source=printable(source.path, 400),
            from_kind=title_of(source.filesystem),
            folder=printable(target.folder, 400),
            device=target.device,
            to_kind=title_of(target.filesystem),
        ),
        t(
            "{files:,d} files, {size:size} of content; {entries:,d} entries in all.",
            files=amount.files,
            size=amount.size_bytes,
            entries=amount.entries,
        ),
        t("It fits: the copy takes about {needed:size}.", needed=amount.room_bytes),
    )


def fstab_step(bring: Bring) -> ChangeStep:
    """The change of fstab by which the copy takes the place of its source."""
    assert bring.takes is not None
    (step,) = change_steps((bring.takes.edit,), bring.drive)
    return step


def fstab_difference(bring: Bring) -> tuple[str, ...]:
    """What changes in fstab, as patch(1) takes it; nothing where nothing does."""
    return fstab_step(bring).edits if bring.takes is not None else ()
