"""Foreign formats, and the import and export of runs.

One module a format, each with `read` and `write` for blocks of games, and `load`, `loads`,
`dump`, `dumps` for single ones.
"""
