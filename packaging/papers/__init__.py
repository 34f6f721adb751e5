"""What a package brings beside the program, made from the parsers of its commands: manual pages, and what
shells complete.

One small generator for all of it. shtab completes for bash and zsh but not for fish, and argparse-manpage
knows neither our examples nor the paragraphs below the options; argcomplete would start the program at
every press of Tab.
"""
