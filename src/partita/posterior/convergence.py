"""Rank-normalised R-hat and effective sample sizes of one trace (chains by draws).

Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021), "Rank-normalization, folding, and
localization: an improved R-hat". The formulas are those of ArviZ, whose import alone takes longer
than the resolution of a thousand records; a test compares both.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from partita.kernel import Floats

__all__ = ["bulk_ess", "rank_r_hat", "tail_ess"]

BLOM = 3 / 8
"""Offset of ranks before the normal quantile (Blom 1958)."""
TAILS = (0.05, 0.95)
"""Quantiles whose indicators give the effective sample size of the tails."""


def rank_r_hat(values: Floats) -> float:
    """The larger split R-hat of normal scores and of folded normal scores."""
    halves = _split(values)
    folded = np.abs(halves - np.median(halves))
    return float(max(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded))))


def bulk_ess(values: Floats) -> float:
    """The effective sample size of normal scores."""
    return _ess(_normal_scores(_split(values)))


def tail_ess(values: Floats) -> float:
    """The smaller effective sample size of the indicators of both tail quantiles."""
    low, high = np.quantile(values, TAILS)
    return min(_ess(_split((values <= bound).astype(np.float64))) for bound in (low, high))


def _split(values: Floats) -> Floats:
    """Both halves of each chain as chains; the middle draw of an odd number is left out."""
    half = values.shape[1] // 2
    return np.vstack((values[:, :half], values[:, -half:]))


def _normal_scores(values: Floats) -> Floats:
    """Normal quantiles of average ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    inverse = NormalDist().inv_cdf
    scores = [inverse(share) for share in (ranks - BLOM) / (values.size - 2 * BLOM + 1)]
    return np.array(scores)[place].reshape(values.shape)


def _r_hat(values: Floats) -> float:
    draws = values.shape[1]
    between = draws * values.mean(1).var(ddof=1)
    within = values.var(1, ddof=1).mean()
    if within == 0.0:
        return float("inf") if between > 0.0 else float("nan")
    return float(np.sqrt((between / within + draws - 1) / draws))


def _ess(values: Floats) -> float:
    """Effective sample size by Geyer's initial monotone sequence."""
    draws = values.shape[1]
    if np.ptp(values) == 0.0:
        return float(values.size)
    correlation = _mean_autocorrelation(values)
    # sums of an even lag and the next one are positive and fall in reversible chains
    pairs = max((draws - 3) // 2, 0) + 1
    even, odd = correlation[0 : 2 * pairs : 2], correlation[1 : 2 * pairs : 2]
    sums = even + odd
    last = int(np.argmax(sums <= 0.0)) if (sums <= 0.0).any() else pairs - 1
    beyond = even[last] if even[last] > 0.0 or sums[last] >= 0.0 else 0.0
    tau = 2.0 * np.minimum.accumulate(sums[:last]).sum() + beyond - 1.0
    return float(values.size / max(tau, 1.0 / np.log10(values.size)))


def _mean_autocorrelation(values: Floats) -> Floats:
    """Autocorrelation by lag, with the variance between chains in the denominator."""
    chains, draws = values.shape
    centred = values - values.mean(1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * draws)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, 2 * draws)[:, :draws].mean(0) / draws
    within = covariance[0] * draws / (draws - 1)
    total = covariance[0] + (values.mean(1).var(ddof=1) if chains > 1 else 0.0)
    result = 1.0 - (within - covariance) / total
    result[0] = 1.0
    return result
