"""The other half: closures over kernels, run as `python model.py weight ...`."""

import json
import sys

import helpers
import numpy as np
from helpers import State, helper

from partita.kernel.numba.compile import entry, kernel

BASE = 100


def make(weight):
    # with inline=False and a long body the kernel stays a symbol of its own in the machine code
    @kernel(inline=False)
    def long(n):
        total = 0
        for i in range(n):
            total += (i ^ weight) % 7 + (total % 3) * weight
            if total > 1000:
                total -= n * weight
                for k in range(n):
                    total += k % (weight + 1)
                    if total % 11 == 3:
                        total -= i * k
        return total

    @kernel
    def short(state, extra=2):
        return helper(state.first[0]) * helpers.FACTOR + helpers.scaled(weight) + extra

    @entry
    def walk(state, n):
        def nested(value):
            return value * 5

        return BASE + short(state) + nested(n) + long(n) + long(2 * n)

    return walk


def run(weights):
    found = []
    for weight in weights:
        walk = make(weight)
        state = State(first=np.array([7]), second=np.array([9]))
        result = [int(walk(state, n)) for n in (20, 21, 22)]
        hits = sum(walk.stats.cache_hits.values()) if hasattr(walk, "stats") else 0
        found.append({"result": result, "hits": hits, "made": len(getattr(walk, "overloads", ()))})
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run([int(word) for word in sys.argv[1:]])))
