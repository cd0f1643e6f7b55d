"""``python -m skatsim``."""

from skatsim.cli import main

if __name__ == "__main__":
    main()
