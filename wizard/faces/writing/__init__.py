"""What the commands share that write: which run, which token, and the words before and after."""
