"""The two exceptions that end the lab early."""


class CannotRun(Exception):
    """The lab cannot start here. The message has the reason, and what to install."""


class GuestTrouble(Exception):
    """A guest did not start, did not end in time, or its answer is unreadable."""
