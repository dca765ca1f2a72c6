"""Generated documents: people with a full name, a last name and a pronoun, in random order."""

import numpy as np

from partita.text.coreference.documents import Mention, build_document

FIRST = ("Ann", "Bob", "Eve", "Jim", "Kay", "Leo", "Mia", "Ned", "Pia", "Sam")
LAST = ("Archer", "Bishop", "Carter", "Dyer", "Fisher", "Gardner", "Hunter", "Mason", "Potter")


def make_document(seed, people=3, sentences=12):
    """A document of short sentences; the pronoun refers to the person of the sentence before."""
    rng = np.random.default_rng(seed)
    lasts = rng.choice(len(LAST), people, replace=False)
    names = [(FIRST[rng.integers(len(FIRST))], LAST[k]) for k in lasts]
    text, mentions, seen, last = "", [], set(), None
    for _ in range(sentences):
        person = int(rng.integers(people))
        if last is not None and rng.random() < 0.3:
            person, form = last, "she"
        else:
            form = names[person][1] if person in seen else " ".join(names[person])
        start = len(text)
        entity, link = " ".join(names[person]), "_".join(names[person])
        own = link if form != "she" else ""
        mentions.append(Mention(start, start + len(form), form, "PER", entity=entity, link=own))
        text += f"{form} spoke on Monday . "
        seen.add(person)
        last = person
    return build_document(f"made {seed}", text, mentions)


def make_documents(count, first=0):
    return [make_document(first + k) for k in range(count)]
