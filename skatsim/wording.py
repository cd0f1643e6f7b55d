"""Numbers in sentences."""

__all__ = ["count_text"]


def count_text(count: int, noun: str) -> str:
    """So many of something: the noun with an s unless there is one.

    Examples
    --------
    >>> count_text(1, "part"), count_text(2500, "part")
    ('1 part', '2,500 parts')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
