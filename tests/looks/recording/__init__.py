"""The recording on the README: how its run was recorded, and its frames."""
