"""This machine, and root's rights on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.errors import Refused
from wizard.services.rules import Rules
from wizard.services.words import NO_WAY_TO_ROOT, ONLY_ROOT_WRITES

if TYPE_CHECKING:
    from wizard.advise.missing import Missing
    from wizard.apply.root.ask import Way
    from wizard.apply.root.client import Elevated
    from wizard.apply.run.environment import Environment

# The rooms are imported where they are called: the first list of drives is on the screen before they are
# loaded.


class WithRoot(Rules):
    """Whether this process is root, and what asks for it otherwise. `only` restricts the machine to some
    drives, as the demo does; `environment` and `journal_dir` go to `apply`."""

    def __init__(
        self,
        only: Sequence[str] | None = None,
        environment: Environment | None = None,
        journal_dir: Path | None = None,
    ) -> None:
        super().__init__()
        self._only = None if only is None else tuple(only)
        self._environment = environment
        self._journal_dir = journal_dir
        self._elevated: Elevated | None = None
        self.demo = only is not None

    @property
    def obstacle(self) -> str:
        """Root is needed, and to be this process: measuring is not handed on."""
        return str(ONLY_ROOT_WRITES()) if self.needs_root else ""

    @property
    def needs_root(self) -> bool:
        """Whether this process lacks it."""
        return os.geteuid() != 0

    @property
    def apply_obstacle(self) -> str:
        """None where there is a program to ask for root."""
        return "" if self._elevated or self._way else self.obstacle

    @property
    def asks_for_root(self) -> bool:
        """Once."""
        return self.needs_root and self._root is None and self._way is not None

    def obtain_root(self) -> None:
        """By sudo, run0 or pkexec."""
        if not self.needs_root or self._root is not None:
            return
        if self._way is None:
            raise Refused(str(NO_WAY_TO_ROOT(why=self.obstacle)))
        from wizard.apply.root.client import Elevated

        self._elevated = Elevated(self._way)

    def install_offer(self, missing: Missing) -> str:
        """As the manager here tells a plain user, or root."""
        from wizard.apply.packages.install import cost, offer

        return str(offer(missing, cost(missing)))

    def install(self, missing: Missing, on_line: Callable[[str], None]) -> None:
        """Here as root, else by the process that runs as root."""
        from wizard.apply.packages.install import install

        if self.needs_root:
            self._asked_root.install(missing.programs, on_line)
        else:
            install(missing, on_line)

    @cached_property
    def _way(self) -> Way | None:
        """None for root, and for a machine that is restricted or has an fstab of its own: those are not
        handed on."""
        if not self.needs_root or self._only is not None or self._environment is not None:
            return None
        from wizard.apply.root.ask import way_to_root

        return way_to_root()

    @property
    def _root(self) -> Elevated | None:
        """The process that runs as root, while it is there."""
        return self._elevated if self._elevated is not None and not self._elevated.gone else None

    @property
    def _asked_root(self) -> Elevated:
        """The process that runs as root, begun where it is not there yet; raises Refused where root is not
        given."""
        self.obtain_root()
        assert self._elevated is not None
        return self._elevated

    @property
    def _place(self) -> Environment:
        """What `apply` works with here."""
        from wizard.apply.run.environment import Environment

        return self._environment or Environment(only=None if self._only is None else frozenset(self._only))
