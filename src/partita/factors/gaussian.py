"""Gaussian components with mean and covariance integrated out (normal-inverse-Wishart).

With data centred on the prior mean, a row holds n, s = sum x and the sum of x x'. Then
    kappa_n = kappa + n,  Psi_n = Psi + sum x x' - s s' / kappa_n,
    log p = h(n) - (nu + n) / 2 log |Psi_n|,
where h does not depend on the data. Adding a mention changes Psi_n by c v v', v = x - s / kappa_n
and c = kappa_n / (kappa_n + 1); removing one changes it by -kappa_n / (kappa_n - 1) v v'. The
matrix determinant lemma gives the new determinant in O(d^2), from the Cholesky factor of Psi_n in
the row. With a diagonal covariance each column has its own inverse-gamma variance, and Psi_n is a
diagonal.

Values are rounded to 2^-16 of the largest, so sums of their products are exact in float64:
statistics depend on the members alone, not on the order of additions and removals.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from partita.errors import InputError
from partita.factors.components import RATIOS_PER_LOG, SLOTS, Component, Rows
from partita.factors.template import finite
from partita.kernel import Floats, gammaln, kernel
from partita.states.checks import positive

__all__ = ["gaussian"]

GRID = 2.0**16
"""Steps between 0 and the largest value: products of two values need 32 bits of 53."""

SPARE = SLOTS - 1
"""Offset of the scratch row that holds two rows together."""


class Normal(NamedTuple):
    """Centred values of the mentions, the prior, and h(n) for every size."""

    x: Floats
    scale: Floats
    """Psi: the diagonal, or the packed lower triangle."""
    kappa: float
    nu: float
    h: Floats


@kernel
def diagonal_add(data: Normal, rows: Rows, row: int, i: int, sign: float) -> None:
    """Add a mention's count, sums and sums of squares to a row."""
    d = data.x.shape[1]
    rows.sums[row, 0] += sign
    for k in range(d):
        value = data.x[i, k]
        rows.sums[row, 1 + k] += sign * value
        rows.sums[row, 1 + d + k] += sign * value * value


@kernel
def diagonal_derive(data: Normal, rows: Rows, row: int) -> None:
    """Derive the diagonal of Psi_n, after its log determinant."""
    d = data.x.shape[1]
    kappa, product, log_det = data.kappa + rows.sums[row, 0], 1.0, 0.0
    for k in range(d):
        s = rows.sums[row, 1 + k]
        psi = data.scale[k] + rows.sums[row, 1 + d + k] - s * s / kappa
        rows.derived[row, 1 + k] = psi
        product *= psi
        if k % RATIOS_PER_LOG == RATIOS_PER_LOG - 1:
            log_det += math.log(product)
            product = 1.0
    rows.derived[row, 0] = log_det + math.log(product)


@kernel
def diagonal_change(data: Normal, rows: Rows, row: int, i: int, c: float, kappa: float) -> float:
    """Return log |Psi_n + c v v'| - log |Psi_n| for diagonals."""
    d = data.x.shape[1]
    product, change = 1.0, 0.0
    for k in range(d):
        v = data.x[i, k] - rows.sums[row, 1 + k] / kappa
        product *= 1.0 + c * v * v / rows.derived[row, 1 + k]
        if k % RATIOS_PER_LOG == RATIOS_PER_LOG - 1:
            change += math.log(product)
            product = 1.0
    return change + math.log(product)


@kernel
def full_add(data: Normal, rows: Rows, row: int, i: int, sign: float) -> None:
    """Add a mention's count, sums and sums of products to a row."""
    d = data.x.shape[1]
    rows.sums[row, 0] += sign
    at = 1 + d
    for j in range(d):
        value = sign * data.x[i, j]
        rows.sums[row, 1 + j] += value
        for k in range(j + 1):
            rows.sums[row, at] += value * data.x[i, k]
            at += 1


@kernel
def full_derive(data: Normal, rows: Rows, row: int) -> None:
    """Derive the log determinant of Psi_n and its packed Cholesky factor, pivots inverted."""
    d = data.x.shape[1]
    kappa, product, log_det = data.kappa + rows.sums[row, 0], 1.0, 0.0
    at = 0
    for j in range(d):
        begin = at
        for k in range(j + 1):
            other = k * (k + 1) // 2
            value = data.scale[at] + rows.sums[row, 1 + d + at]
            value -= rows.sums[row, 1 + j] * rows.sums[row, 1 + k] / kappa
            for m in range(k):
                value -= rows.derived[row, 1 + begin + m] * rows.derived[row, 1 + other + m]
            if k < j:
                rows.derived[row, 1 + at] = value * rows.derived[row, 1 + other + k]
            else:
                rows.derived[row, 1 + at] = 1.0 / math.sqrt(value)
                product *= value
            at += 1
        if j % RATIOS_PER_LOG == RATIOS_PER_LOG - 1:
            log_det += math.log(product)
            product = 1.0
    rows.derived[row, 0] = log_det + math.log(product)


@kernel
def full_change(data: Normal, rows: Rows, row: int, i: int, c: float, kappa: float) -> float:
    """Return log |Psi_n + c v v'| - log |Psi_n| by a forward solve."""
    d = data.x.shape[1]
    solved = 1 + d * (d + 1) // 2
    square, at = 0.0, 1
    for j in range(d):
        value = data.x[i, j] - rows.sums[row, 1 + j] / kappa
        for k in range(j):
            value -= rows.derived[row, at] * rows.derived[row, solved + k]
            at += 1
        value *= rows.derived[row, at]
        at += 1
        rows.derived[row, solved + j] = value
        square += value * value
    return math.log(1.0 + c * square)


@kernel
def normal_total(data: Normal, rows: Rows, row: int) -> float:
    """Return the log marginal likelihood of a row."""
    n = rows.sums[row, 0]
    return data.h[int(n)] - 0.5 * (data.nu + n) * rows.derived[row, 0]


def gaussian(
    x: ArrayLike,
    *,
    covariance: str = "full",
    kappa: float = 0.1,
    nu: float | None = None,
    scale: float | ArrayLike = 0.1,
    mean: ArrayLike | None = None,
) -> Component:
    """Model rows of numbers as normal in each cluster, with its own mean and covariance.

    Parameters
    ----------
    covariance
        "full" or "diag".
    kappa
        Precision of the prior mean, in mentions.
    nu
        Degrees of freedom, above d - 1; by default d + 2, for which the expected covariance is Psi.
    scale
        Psi: one number, in units of the columns' variances; or a covariance (matrix, or its
        diagonal).
    mean
        Prior mean; by default the mean of the data.
    """
    table = _centred(x, mean)
    n, d = table.shape
    nu = float(d + 2) if nu is None else positive(nu, "gaussian: nu")
    kappa = positive(kappa, "gaussian: kappa")
    if covariance not in ("full", "diag"):
        raise InputError(f"gaussian: covariance is {covariance!r}; give 'full' or 'diag'")
    if covariance == "full" and nu <= d - 1:
        raise InputError(f"gaussian: nu is {nu:g} for {d} columns; give more than {d - 1}")
    psi = _psi(scale, table, covariance)
    sizes = np.arange(n + 1)
    shrink = 0.5 * d * np.log(kappa / (kappa + sizes)) - 0.5 * sizes * d * math.log(math.pi)
    if covariance == "diag":
        rise = d * (gammaln((nu + sizes) / 2) - gammaln(nu / 2))
        h = shrink + rise + 0.5 * nu * np.log(psi).sum()
        data = Normal(table, psi, kappa, nu, h)
        parts = (diagonal_add, diagonal_derive, diagonal_change)
        return _component(data, (1 + 2 * d, 1 + d), *parts)
    rising = scipy.special.multigammaln
    rise = rising((nu + sizes) / 2, d) - rising(nu / 2, d)
    h = shrink + rise + 0.5 * nu * np.linalg.slogdet(psi)[1]
    data = Normal(table, psi[np.tril_indices(d)], kappa, nu, h)
    packed = d * (d + 1) // 2
    widths = (1 + d + packed, 1 + packed + d)
    return _component(data, widths, full_add, full_derive, full_change)


def _component(
    data: Normal, widths: tuple[int, int], add: Any, derive: Any, change: Any
) -> Component:
    """Build the kernels that both types of covariance share."""

    @kernel
    def gain(data: Normal, rows: Rows, row: int, i: int) -> float:
        n, log_det = rows.sums[row, 0], rows.derived[row, 0]
        kappa = data.kappa + n
        after = log_det + change(data, rows, row, i, kappa / (kappa + 1.0), kappa)
        at = int(n)
        return (
            data.h[at + 1]
            - data.h[at]
            + 0.5 * ((data.nu + n) * log_det - (data.nu + n + 1.0) * after)
        )

    @kernel
    def loss(data: Normal, rows: Rows, row: int, i: int) -> float:
        n, log_det = rows.sums[row, 0], rows.derived[row, 0]
        kappa = data.kappa + n
        before = log_det + change(data, rows, row, i, -kappa / (kappa - 1.0), kappa)
        at = int(n)
        return (
            data.h[at]
            - data.h[at - 1]
            + 0.5 * ((data.nu + n - 1.0) * before - (data.nu + n) * log_det)
        )

    @kernel
    def joint(data: Normal, rows: Rows, a: int, b: int) -> float:
        out = rows.sums.shape[0] - SLOTS + SPARE
        for k in range(rows.sums.shape[1]):
            rows.sums[out, k] = rows.sums[a, k] + rows.sums[b, k]
        derive(data, rows, out)
        return normal_total(data, rows, out)

    kernels = (gain, loss, add, derive, normal_total, joint)
    return Component("gaussian", data, len(data.x), *widths, *kernels)


def _centred(x: ArrayLike, mean: ArrayLike | None) -> Floats:
    table = finite(x, "values of gaussian")
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"gaussian: the values have shape {table.shape}; give a row per mention")
    centre = table.mean(0) if mean is None else finite(mean, "gaussian: the mean")
    if centre.shape != (table.shape[1],):
        raise InputError(
            f"gaussian: the mean has shape {centre.shape}; give {table.shape[1]} numbers"
        )
    moved = table - centre
    top = np.abs(moved).max(0)
    unit = 2.0 ** np.ceil(np.log2(np.where(top > 0, top, 1.0))) / GRID
    return np.ascontiguousarray(np.round(moved / unit) * unit)


def _psi(scale: float | ArrayLike, table: Floats, covariance: str) -> Floats:
    """Return the scale matrix, or its diagonal."""
    d = table.shape[1]
    scales = finite(scale, "gaussian: the scale")
    if scales.ndim == 0:
        spread = table.var(0)
        # a constant column has variance 0; use 1 as its unit
        scales = positive(float(scales), "gaussian: the scale") * np.where(spread > 0, spread, 1.0)
    if scales.shape not in ((d,), (d, d)):
        raise InputError(
            f"gaussian: the scale has shape {scales.shape}; give one number, {d}, or {d} x {d}"
        )
    matrix = np.diag(scales) if scales.ndim == 1 else scales
    if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix).min() <= 0:
        raise InputError("gaussian: the scale is not a covariance; give a positive definite matrix")
    return np.array(matrix if covariance == "full" else np.diag(matrix))
