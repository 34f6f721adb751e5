"""What several places say."""

from wizard.model.said import t

BACK = t("back")
GLOSSARY_KEY = t("words")
QUIT_KEY = t("quit")
