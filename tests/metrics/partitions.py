"""Partitions to test on: all small ones, and random ones of a dozen records."""

from hypothesis import strategies as st


def all_partitions(n):
    """Restricted growth strings: each partition of n records once."""
    if n == 0:
        return [()]
    return [(*rest, label) for rest in all_partitions(n - 1) for label in range(len(set(rest)) + 1)]


@st.composite
def two_partitions(draw, least=8, most=12):
    n = draw(st.integers(least, most))
    labels = st.lists(st.integers(0, draw(st.integers(0, n - 1))), min_size=n, max_size=n)
    return draw(labels), draw(labels)


# Luo 2005, figure 1: twelve mentions, the truth and four answers
LUO_TRUTH = "aaaaabbccccc"
LUO = {"a": "111112222222", "b": "111112211111", "c": "111111111111", "d": "123456789ABC"}
