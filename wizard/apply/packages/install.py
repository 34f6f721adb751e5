"""Asking the package manager, and having it install. The edge; every rule is in `managers`."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from wizard.advise.missing import Missing
from wizard.apply.packages.managers import MANAGERS, Cost, Manager, complaint, is_offline
from wizard.apply.packages.words import (
    NEEDS_ROOT,
)
from wizard.model.errors import Failed, Refused
from wizard.model.names import printable
from wizard.model.said import Said, t
from wizard.tools.program import find, run, stream

WEIGH_SECONDS = 60.0
REFRESH_SECONDS = 300.0
INSTALL_SECONDS = 1800.0
FRESH_SECONDS = 24 * 3600.0
"""How long lists are taken for those of the servers."""

OnLine = Callable[[str], None]


def manager_of(missing: Missing) -> Manager:
    """What installs these packages; raises Refused, saying what is missing, where nothing is known to."""
    manager = MANAGERS.get(missing.family)
    if manager is None or not missing.command:
        raise Refused(str(missing.said))
    if find(manager.weigh[0]) is None:
        raise Refused(str(t("{manager} is not here, so nothing can be installed.", manager=manager.name)))
    return manager


def cost(missing: Missing) -> Cost:
    """What the installation takes, as the manager tells it; nothing is changed. Raises Refused as
    `manager_of` does. A manager that only tells root, or has no lists yet, gives an unknown cost."""
    manager = manager_of(missing)
    try:
        said = run(
            [*manager.weigh, *missing.packages],
            seconds=WEIGH_SECONDS,
            accept=range(256),
            stdin=manager.answers,
        )
    except Failed:
        return Cost()
    return manager.read(said.output + said.errors)


def offer(missing: Missing, weighed: Cost) -> Said:
    """The one question's sentence."""
    name = manager_of(missing).name
    if weighed.download_bytes is None or weighed.disk_bytes is None:
        return t(
            "Install {packages:and} with {manager}, which does not tell the size before.",
            packages=missing.packages,
            manager=name,
        )
    return t(
        "Install {packages:and} with {manager}: {download:size} to download, {disk:size} on disk.",
        packages=missing.packages,
        manager=name,
        download=weighed.download_bytes,
        disk=weighed.disk_bytes,
    )


def install(missing: Missing, on_line: OnLine) -> None:
    """Install the packages, telling each line that the manager says; returns when the programs are there.

    Raises Refused where it cannot be begun, Failed where the manager failed, or has no network.
    """
    manager = manager_of(missing)
    if os.geteuid() != 0:
        raise Refused(str(NEEDS_ROOT(programs=" ".join(missing.programs))))
    fetched = _refreshed(manager, on_line) if _is_stale(manager) else None
    argv = [*manager.install, *missing.packages]
    done = stream(argv, seconds=INSTALL_SECONDS, on_line=on_line)
    if done.status and manager.refresh and fetched is None and not is_offline(done.output):
        # Lists that are older than the servers' name packages that are gone.
        fetched = _refreshed(manager, on_line)
        done = stream(argv, seconds=INSTALL_SECONDS, on_line=on_line)
    if done.status:
        if is_offline(done.output + (fetched or "")):
            raise Failed(
                str(
                    t(
                        "This needs the network, and there is none: {manager} could not reach its servers.",
                        manager=manager.name,
                    )
                )
            )
        why = printable(complaint(done.output), 300)
        raise Failed(
            str(
                t(
                    "{manager} could not install {packages:and}. It said: {why}",
                    manager=manager.name,
                    packages=missing.packages,
                    why=why,
                )
            )
        )
    if absent := tuple(name for name in missing.programs if find(name) is None):
        raise Failed(
            str(
                t(
                    "{packages:and} was installed, but {programs:and} is still not found.",
                    packages=missing.packages,
                    programs=absent,
                )
            )
        )


def _refreshed(manager: Manager, on_line: OnLine) -> str:
    """What the manager said while it fetched its lists. Where it could not fetch them all they may do all the
    same: the installation tells."""
    return stream(manager.refresh, seconds=REFRESH_SECONDS, on_line=on_line).output


def _is_stale(manager: Manager) -> bool:
    """Whether the manager has no lists, or old ones; false where it looks after them by itself."""
    if not manager.refresh:
        return False
    folder, pattern = manager.lists
    try:
        newest = max((path.stat().st_mtime for path in Path(folder).glob(pattern)), default=0.0)
    except OSError:
        return True
    return newest == 0.0 or (manager.name == "apt" and time.time() - newest > FRESH_SECONDS)
