"""skatsim: hand-record archive and simulation analytics for Skat."""

__version__ = "0.1.0"
