"""What is right and wrong with each drive: pure rules over facts."""
