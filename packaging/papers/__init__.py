"""Generate manual pages and shell completions from the parsers of the commands.

One small generator covers all. shtab completes for bash and zsh but not for fish, argparse-manpage supports
neither our examples nor the paragraphs below the options, and argcomplete would start the program at every
press of Tab.
"""
