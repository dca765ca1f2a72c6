"""Generated references with their true fields, for the tests of extraction."""

import random

FIELDS = ["author", "title", "journal", "pages", "date"]
RULES = [
    {"name": "first", "field": "author", "place": "first"},
    {"name": "year", "field": "date", "pattern": r"(19|20)\d\d"},
    {"name": "range", "field": "pages", "pattern": r"\d+-\d+"},
    {"name": "initial", "field": "author", "pattern": ["[A-Z]", r"\."]},
    {"name": "journal", "field": "journal", "words": ["journal of", "annals of", "letters"]},
    {"name": "small", "field": "title", "pattern": "on|the|a|with|for"},
    {"name": "letter", "field": "journal", "pattern": "J"},
]
SCHEMA = {"fields": FIELDS, "rules": RULES}

LAST = ("Lee", "Orr", "Kim", "Moss", "Diaz", "Novak", "Sato", "Berg")
TOPICS = ("trees", "chains", "graphs", "records", "names", "noise", "search", "text")
JOURNALS = ("Journal of Trees", "Annals of Data", "Graph Letters", "Journal of Records")


def references(n, seed=1):
    """Tagged lines; half of the names have the initial J, so that rule `letter` is wrong."""
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        initial = rng.choice(("J", rng.choice("ABCD")))
        title = f"On the {rng.choice(TOPICS)} with a {rng.choice(TOPICS)}"
        first = rng.randint(1, 400)
        lines.append(
            f"<author>{rng.choice(LAST)}, {initial}.</author> <title>{title}</title>. "
            f"<journal>{rng.choice(JOURNALS)}</journal>, <pages>{first}-{first + 9}</pages>, "
            f"<date>{rng.randint(1970, 2020)}</date>."
        )
    return lines
