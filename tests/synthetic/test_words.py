from partita.synthetic.words import VENUES, WORDS, venues, words


def test_words_are_distinct():
    result = words().to_pylist()
    assert len(set(result)) == len(result) == WORDS
    assert all(word.isalpha() and word.islower() for word in result)


def test_venues_of_a_topic():
    result = venues(300).to_pylist()
    assert len(set(result)) == len(result) == 300 * VENUES
    # more topics than words share their names
    assert len(venues(20_000)) == 20_000 * VENUES
