"""Speed and memory as ratios to other tools in the same run. Prints the README's table and asserts
nothing."""
