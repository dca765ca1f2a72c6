"""Changes of values inside JSON."""

from __future__ import annotations

from random import Random

__all__ = ["change_value"]


def change_value(random: Random, value: object) -> None:
    """Replace, remove or repeat one value somewhere inside a JSON value."""
    places: list[tuple[object, object]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        inside = item.items() if isinstance(item, dict) else enumerate(item)  # type: ignore
        for key, child in list(inside):
            places.append((item, key))
            if isinstance(child, dict | list):
                stack.append(child)
    owner, key = random.choice(places)
    new = random.choice((None, -1, 0, 1e308, 99, "x", [], {}, True, [1, 2], 1.5, "Infinity"))
    if isinstance(owner, list) and random.random() < 0.3:
        del owner[key]  # type: ignore
    elif isinstance(owner, dict) and random.random() < 0.2:
        del owner[key]
    else:
        owner[key] = new  # type: ignore
