"""Line-by-line wizard for screen readers, serial lines, pipes and terminals that only print."""
