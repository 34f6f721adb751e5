"""Within step 4: what holds for all volumes of a drive - a desktop's set of them, the kind of table, one
volume group."""

from dataclasses import replace

from wizard.layout.planner import PLAIN, Mode
from wizard.layout.wishes.wish import Arrangement
from wizard.model.errors import DiskwrightError
from wizard.plain.desk import Desk
from wizard.services.session import Session
from wizard.services.spread import TAKES_ALL, plan_of

DESKTOP, TABLE, GROUP = range(3)


def arrangement_actions(session: Session) -> tuple[str, str, str]:
    """What can be done, by DESKTOP, TABLE and GROUP."""
    now = session.arrangement or PLAIN
    return (
        "Take a desktop's volumes instead: EFI system partition, swap, system and home directories.",
        "Make an MBR, the old table for firmware that knows no other, instead of a GPT."
        if now.table == "gpt"
        else "Make a GPT, as is usual, instead of the MBR.",
        "Give each volume a partition of its own again, without a volume group."
        if now.grouped
        else "Put all volumes into one volume group of LVM's, where they can grow later.",
    )


def arrangement_words(session: Session) -> str:
    """What is not as usual, in a sentence; empty where all is."""
    now = session.arrangement or PLAIN
    table = "An MBR is made instead of a GPT." if now.table == "mbr" else ""
    return " ".join(filter(None, (table, "All volumes lie in one volume group." if now.grouped else "")))


def arrangement_refusals(desk: Desk, session: Session, fault: str) -> tuple[str, str, str]:
    """Why each cannot be done now, empty where it can; `fault` is what hinders the volumes already."""
    if session.stripe:
        return (TAKES_ALL,) * 3
    now = session.arrangement or PLAIN
    return (
        _refusal(desk, session, DESKTOP),
        _refusal(desk, session, TABLE) if now.table == "gpt" and not fault else "",
        _refusal(desk, session, GROUP) if not now.grouped and not fault else "",
    )


def _refusal(desk: Desk, session: Session, action: int) -> str:
    try:
        plan_of(desk.services, arranged(desk, session, action))
    except DiskwrightError as error:
        return str(error)
    return ""


def arranged(desk: Desk, session: Session, action: int) -> Session:
    """The session after one of the actions; raises the reason where it cannot be."""
    now = session.arrangement or PLAIN
    if action == TABLE:
        return replace(session, arrangement=Arrangement("mbr" if now.table == "gpt" else "gpt", now.grouped))
    if action == GROUP:
        return replace(session, arrangement=Arrangement(now.table, not now.grouped))
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    wishes = desk.services.desktop(
        session.machine, session.drive, session.diagnosis.recording, session.mode or Mode.REPLACE
    )
    return replace(session, wishes=wishes)
