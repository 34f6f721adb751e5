"""From an old ext to ext4: what is found, allowed and proposed."""
