"""Foreign formats: one module each, with `read` and `write` for blocks, `load`, `loads`,
`dump` and `dumps` for games; and the import and export of whole runs."""
