from partita.synthetic.words import VENUES, WORDS, venues, words


def test_words_are_distinct():
    found = words().to_pylist()
    assert len(set(found)) == len(found) == WORDS
    assert all(word.isalpha() and word.islower() for word in found)


def test_venues_of_a_topic():
    found = venues(300).to_pylist()
    assert len(set(found)) == len(found) == 300 * VENUES
    # more topics than words share their names
    assert len(venues(20_000)) == 20_000 * VENUES
