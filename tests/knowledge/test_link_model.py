"""The link model on generated documents: towns and their football clubs have the same names."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from partita.errors import InputError
from partita.kernel import interpreted
from partita.knowledge.link_coherence import add_coherence, find_shape
from partita.knowledge.link_model import (
    FEATURES,
    LinkExamples,
    LinkModel,
    calibrate_links,
    fit_link_parts,
    fit_links,
)
from partita.knowledge.link_topics import Topics, add_topics, fit_topics
from partita.knowledge.mention_links import SIZE, feature, list_options, take_mentions
from partita.knowledge.name_table import NameTable, count_names, count_types
from partita.learning.choice_model import choose_probabilities, save_choice_weights
from partita.text.coreference.documents import Mention, build_document

TOWNS = ("Aston", "Berwick", "Carlow", "Dunmore", "Elgin", "Falkirk", "Girvan", "Hawick")
CLUB = "Football Club"


def make_table():
    """Every name means a place and a club: of towns equally, of rovers and hills mostly one."""
    table = NameTable()
    for town in TOWNS:
        for name, place, club in (
            (town, 50, 50),
            (f"{town} Rovers", 1, 99),
            (f"{town} Hill", 99, 1),
        ):
            for title, popularity in ((name, place), (f"{name} {CLUB}", club)):
                record = table.add_record(title.replace(" ", "_"), title, popularity=popularity)
                table.add_name(name, record)
    return table


def make_document(seed, words=("met", "met")):
    """Two rovers and four clubs named like their towns, or two hills and four towns."""
    rng = np.random.default_rng(seed)
    is_sport = bool(rng.integers(2))
    text, mentions = "", []
    for k, town in enumerate(rng.permutation(TOWNS)[:6].tolist()):
        name = town if k > 1 else f"{town} {'Rovers' if is_sport else 'Hill'}"
        link = f"{name} {CLUB}" if is_sport else name
        text += f"{words[is_sport]} "
        start = len(text)
        text += f"{name} . "
        link = link.replace(" ", "_")
        mentions.append(Mention(start, start + len(name), name, "NAME", entity=link, link=link))
    return build_document(f"made {seed}", text, mentions)


def count_right(documents, table, options, probabilities):
    links = [mention.link for document in documents for mention in document.mentions]
    bounds = zip(options.start[:-1], options.start[1:], strict=True)
    best = [first + int(np.argmax(probabilities[first:last])) for first, last in bounds]
    return np.mean(
        [table.ids[options.record[k]] == link for k, link in zip(best, links, strict=True)]
    )


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_links_follow_the_other_links_of_the_document(tmp_path):
    table = make_table()
    train, test = ([make_document(k) for k in part] for part in (range(40), range(100, 120)))
    model = fit_links(train, table, context=False).model
    options = list_options(test, table, context=False)
    alone = choose_probabilities(options.features, options.start, model.first)
    coherent, p = model.infer(test, table)
    assert count_right(test, table, options, alone) < 0.8
    assert count_right(test, table, coherent, p) > 0.95
    model.save(tmp_path / "links.json")
    _, again = LinkModel.load(tmp_path / "links.json").infer(test, table)
    # the file holds two decimals of each weight
    assert again == pytest.approx(p, abs=0.1)


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_words_beside_a_mention_tell_records_of_one_name_apart(tmp_path):
    table = make_table()
    train = [make_document(k, words=("in", "beat")) for k in range(40)]
    model = fit_links(train, table, context=True).model
    text = "in Aston . beat Aston ."
    document = build_document("d", text, [Mention(3, 8, "Aston"), Mention(16, 21, "Aston")])
    options, p = model.infer([document], table)
    club = options.record == table.number["Aston_Football_Club"]
    assert p[club][0] < 0.5 < p[club][1]
    model.save(tmp_path / "links.json")
    _, again = LinkModel.load(tmp_path / "links.json").infer([document], table)
    assert again == pytest.approx(p, abs=0.1)


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_parts_have_probabilities_without_their_own_documents():
    table, train = make_table(), [make_document(k) for k in range(10)]
    parts = [LinkExamples(train, table), LinkExamples(train, table, held_out=False)]
    fitted = fit_link_parts(parts, context=False, typed=False)
    assert fitted.options.start.size - 1 == 2 * 60 and not fitted.model.typed
    assert np.add.reduceat(fitted.probabilities, fitted.options.start[:-1]) == pytest.approx(1)


def test_one_document_has_no_probabilities_without_itself():
    with pytest.raises(InputError, match="give more documents"):
        fit_links([make_document(1)], make_table(), context=False)


def test_some_mentions_keep_their_options():
    table, documents = make_table(), [make_document(3), make_document(4)]
    options = list_options(documents, table, context=False)
    p = np.arange(len(options.features), dtype=float)
    kept, own = take_mentions(options, p, np.array([1, 11]))
    rows = [*range(options.start[1], options.start[2]), *range(options.start[11], len(p))]
    assert own.tolist() == rows and kept.record.tolist() == options.record[rows].tolist()
    assert kept.start[-1] == len(rows) and np.array_equal(kept.features, options.features[rows])


def test_coherence_has_no_features_of_phrases_without_a_name():
    table = make_table()
    document = build_document("d", "Aston met it", [Mention(0, 5, "Aston"), Mention(10, 12, "it")])
    options = list_options([document], table, context=False)
    shares = np.repeat(1 / np.diff(options.start), np.diff(options.start))
    added = add_coherence([document], table, options, shares).features[
        :, options.features.shape[1] :
    ]
    assert added[: options.start[1]].any(1).all() and not added[options.start[1] :].any()


def test_the_mentions_beside_a_mention_are_features():
    table = make_table()
    text = "Aston Rovers , Berwick"
    mentions = [Mention(0, 12, "Aston Rovers", "ORG"), Mention(15, 22, "Berwick", "LOC")]
    document = build_document("d", text, mentions)
    options = list_options([document], table, context=False)
    p = np.zeros(len(options.features))
    # Aston Rovers is surely a club
    p[np.isin(options.record, [table.number["Aston_Rovers_Football_Club"]])] = 1.0
    p[options.start[1]] = 1.0
    added = add_coherence([document], table, options, p).features[:, options.features.shape[1] :]
    club = np.flatnonzero(options.record == table.number["Berwick_Football_Club"])[0]
    # all of the one other name has the same tail, and none is plain
    assert feature("near tail", "tail", 5, 0) in added[club]
    assert feature("side", 0, "tail", "ORG", 0, "LOC") in added[club]


def test_titles_without_a_common_word_may_have_one_shape():
    assert find_shape("~ villa", "ORG") == find_shape("~ county", "ORG") == "~ x ORG"
    assert find_shape("~ (film maker)", "") == "~ (x) "


def test_words_of_a_title_in_the_document_are_features():
    table = make_table()
    text = "the club of Aston plays football"
    document = build_document("d", text, [Mention(12, 17, "Aston")])
    options = list_options([document], table, context=False, lexical=False)
    club, town = (
        options.features[options.record == table.number[id]][0]
        for id in ("Aston_Football_Club", "Aston")
    )
    assert feature("shared", 2, 2) in club and feature("shared", 0, 0) in town


def test_a_word_in_nested_mentions_and_beside_them_is_outside_once():
    table = make_table()
    text = "a club in Aston Football met Aston , football"
    outer, inner = Mention(10, 24, "Aston Football", "ORG"), Mention(16, 24, "Football", "ORG")
    nested = build_document("d", text, [outer, inner, Mention(29, 34, "Aston", "LOC")])
    within = build_document("d", text[:34], nested.mentions)
    rows = []
    for document in (nested, within):
        options = list_options([document], table, context=False)
        own = options.record == table.number["Aston_Football_Club"]
        rows.append(options.features[own][-1])
    # the title has two words beside the name: club and football
    assert feature("shared outside", 2, 2, "LOC") in rows[0]
    assert feature("shared outside", 2, 1, "LOC") in rows[1]


def test_a_file_of_other_features_is_refused(tmp_path):
    path = tmp_path / "links.json"
    settings = {"context": False, "typed": True, "lexical": True}
    save_choice_weights(path, np.ones(2 * SIZE), **settings)
    with pytest.raises(InputError, match="no link model of the present features; train it again"):
        LinkModel.load(path)


def test_the_version_of_a_model_file_belongs_to_the_present_features():
    table, documents = make_table(), [make_document(k) for k in range(3)]
    options = list_options(documents, table, context=True)
    options = add_topics(documents, table, options, fit_topics(documents, table))
    shares = np.repeat(1 / np.diff(options.start), np.diff(options.start))
    features = add_coherence(documents, table, options, shares).features
    # if the sum differs, the features changed: raise FEATURES, train the shipped model again
    # (python -m papers.kbalign.ship) and write the new sum
    assert (FEATURES, crc32(np.sort(features, 1).astype("<i4").tobytes())) == (2, 1415904874)


def test_counts_of_the_fold_are_left_out():
    documents = [make_document(k) for k in range(4)]
    table, bare = make_table(), make_table()
    for (name, id), count in count_names(documents).items():
        table.add_name(name, table.number[id], count, listed=False)
    table.type_counts.update(count_types(documents))
    one_fold = list_options(documents, table, context=False, folds=np.zeros(4, np.int64))
    without = list_options(documents, bare, context=False)
    assert np.array_equal(np.sort(one_fold.record), np.sort(without.record))
    rows = [{tuple(row) for row in options.features} for options in (one_fold, without)]
    assert rows[0] == rows[1]


def test_the_lift_of_a_key_is_high_in_similar_documents():
    table = make_table()
    train = [make_document(k, words=("in", "beat")) for k in range(20)]
    topics = fit_topics(train, table)
    sport = next(d for d in train if d.mentions[0].link.endswith("Club"))
    lift = topics.lift(sport)
    assert lift[topics.keys["word football"]] > 0.2
    again = Topics.decode(topics.encode()).lift(sport)
    assert again == pytest.approx(lift, abs=0.01, nan_ok=True)
    alone = topics.lift(sport, np.arange(20))
    assert np.isnan(alone).all()
    other = build_document("other", "Zyx Qrs", [Mention(0, 7, "Zyx Qrs")])
    assert np.isnan(topics.lift(other)).all()


def test_words_are_learned_with_one_table():
    part = LinkExamples([make_document(1), make_document(2)], make_table())
    with pytest.raises(InputError, match="give one"):
        fit_link_parts([part, part], context=True)


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_development_documents_choose_a_temperature():
    table = make_table()
    train, other = ([make_document(k) for k in part] for part in (range(20), range(100, 120)))
    links = fit_links(train, table, context=False)
    # of each second document, the links of towns and clubs are swapped
    swapped = [
        build_document(d.name, d.text, [replace(m, link=swap_link(m.link)) for m in d.mentions])
        for d in other[::2]
    ]
    softer = calibrate_links(links, [*other[1::2], *swapped], table)
    (options, before), (_, after) = (
        links.model.infer(other, table),
        softer.model.infer(other, table),
    )
    assert after.max() < before.max() and softer.probabilities.max() < links.probabilities.max()
    assert count_right(other, table, options, after) == count_right(other, table, options, before)


def swap_link(link):
    """The club of a place, or the place of a club."""
    ending = f"_{CLUB}".replace(" ", "_")
    return link.removesuffix(ending) if link.endswith(ending) else link + ending
