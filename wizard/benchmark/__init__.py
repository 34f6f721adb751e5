"""Short experiments on a real drive that confirm or contradict what it claims."""
