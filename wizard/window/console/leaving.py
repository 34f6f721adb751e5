"""For the Linux console, which has no second screen (or only a new kernel's has): the wizard's is not left
behind under the prompt."""

from textual.drivers.linux_driver import LinuxDriver

from wizard.window.console.frugal import CLEAR, FIRST


class LeavingDriver(LinuxDriver):
    """Textual's own, but for the end: the screen is empty before the first one comes back, where there are
    two."""

    def write(self, data: str) -> None:
        """What is written, with that put before it."""
        super().write(CLEAR + data if data == FIRST else data)
