"""Words of titles and names of venues, composed for this package."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from partita.synthetic.names import compose_words

__all__ = ["COMMON_WORDS", "VENUES", "WORDS", "venues", "words"]

WORDS = 20_000
"""Words of all titles."""
COMMON_WORDS = 3000
"""Words, from the first, that are common to all topics."""
VENUES = 4
"""Venues of a topic."""

LINKS = "a of the for in with and on to using from by under towards via new into through"
PARTS = (
    "- auto bi co cross cyber di geo hyper inter iso macro meta micro mono multi neo omni para "
    "poly post pre proto quasi semi sub super supra syn tele tetra trans tri ultra uni",
    "chain code core crypt cube data field flow form frame graph grid kern lattice lex light "
    "link logic loop map mesh mode morph net node path phase plan point pulse rank rate scale "
    "scope sense shape sort space spect stream struct tens text tone trace track tree type vect "
    "wave web",
    "- al able ance ed er es ian ic ics ing ion ity ive ized ment ness or s",
)
SERIES = (
    *("Journal of {} Research", "Transactions on {}", "Conference on {}", "Workshop on {}"),
    *("{} Letters", "Symposium on {} Systems", "Annals of {}", "{} Review"),
)


@cache
def words() -> pa.StringArray:
    """All words of titles."""
    stems = [word.replace("-", "") for word in compose_words(PARTS, 2 * WORDS)]
    return pa.array(list(dict.fromkeys([*LINKS.split(), *stems]))[:WORDS])


@cache
def venues(topics: int) -> pa.StringArray:
    """The venues of all topics, `VENUES` for each."""
    names = words().slice(COMMON_WORDS).to_pylist()
    return pa.array(
        [
            # the venues of a topic share a word; topics beyond the number of words reuse words
            SERIES[(topic + 3 * number) % len(SERIES)].format(names[topic % len(names)].title())
            for topic in range(topics)
            for number in range(VENUES)
        ]
    )
