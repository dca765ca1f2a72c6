"""Distances between points on the earth."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from partita.kernel import Floats, Ints

__all__ = ["coordinates_of", "distance_km"]

EARTH_RADIUS_KM = 6371.0
"""Mean radius of the earth in kilometres (IUGG)."""
DECIMAL = re.compile(r"[-+]?\d+(?:\.\d+)?")


def coordinates_of(values: Sequence[str]) -> NDArray[np.float64]:
    """Latitude and longitude of each value in radians; NaN where a value is not two numbers."""
    points = np.full((len(values), 2), np.nan)
    for k, value in enumerate(values):
        numbers = [float(part) for part in DECIMAL.findall(value)]
        if len(numbers) == 2 and abs(numbers[0]) <= 90 and abs(numbers[1]) <= 360:
            points[k] = numbers
    return np.radians(points)


def distance_km(points: NDArray[np.float64], left: Ints, right: Ints) -> Floats:
    """Great-circle distance of each pair in kilometres (haversine); infinite without a point."""
    first, second = points[left], points[right]
    half = np.sin((first - second) / 2.0) ** 2
    share = half[:, 0] + np.cos(first[:, 0]) * np.cos(second[:, 0]) * half[:, 1]
    distance = 2.0 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))
    return np.where(np.isnan(distance), np.inf, distance)
