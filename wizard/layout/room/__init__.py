"""Where on a drive volumes may lie."""
