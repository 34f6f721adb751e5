"""The wizard's places, and the face that tells them line by line."""
