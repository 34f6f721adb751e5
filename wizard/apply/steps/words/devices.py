"""What is said of any device that a step works on, and of the commands that it runs."""

from wizard.model.said import Sentence

NO_NODE = Sentence("The node {node} did not appear.")
IN_USE = Sentence("{node} is in use: {why}.")
NOT_TOUCHED = Sentence("{node} was not touched: {why}.")
WIPEFS_UNREADABLE = Sentence("wipefs said of {device} what diskwright cannot read: {said}")
SAVED = Sentence("Saved {places} of {drive}.")
