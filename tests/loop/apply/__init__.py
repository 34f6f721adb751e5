"""Plans carried out on real drives: made, refused, cut off."""
