"""Speed and memory as ratios against other tools in the same run; prints the README's table, asserts
nothing."""
