"""The wizard as a conversation: questions and numbered answers, line by line, for ears, serial lines and
terminals that only print."""
