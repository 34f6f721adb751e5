"""For every tier: whoever runs the tests may have profiles of their own, which must not change what they
see."""

import os

os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
# Nor does it matter who called: what is planned here is root's, unless a test says otherwise.
os.environ["SUDO_UID"] = "0"
