"""Short experiments on a real drive that confirm or contradict the drive's specifications."""
