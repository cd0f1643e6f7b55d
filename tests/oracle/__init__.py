"""A second, slow reading of the rules: plain Python that shares no code with the package."""
