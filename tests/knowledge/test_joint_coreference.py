"""Links of mentions and of entities on generated documents."""

import numpy as np
import pytest

from partita.kernel import interpreted
from partita.knowledge.entity_links import add_agreement, count_repeats, score_links
from partita.knowledge.joint_coreference import build_problem, infer_entities
from partita.knowledge.link_model import fit_links
from partita.knowledge.mention_links import LinkOptions, list_options
from partita.knowledge.name_table import NameTable, count_names
from partita.metrics import bcubed
from partita.text.coreference.antecedents import encode_corpus, fit_antecedents
from partita.text.coreference.attributes import PROP
from partita.text.coreference.documents import Mention, build_document
from partita.text.coreference.pairs import AGREEMENT
from tests.text.coreference.generated import FIRST, LAST, make_documents


def make_table(documents=()):
    table = NameTable()
    for first in FIRST:
        for last in LAST:
            record = table.add_record(f"{first}_{last}", f"{first} {last}", "PER")
            table.add_name(f"{first} {last}", record)
            table.add_name(last, record)
    for (name, id), count in count_names(documents).items():
        table.add_name(name, table.number[id], count, listed=False)
    return table


def test_counts_of_the_own_document_are_left_out():
    documents = make_documents(1)
    table, own = make_table(documents), count_names(documents)
    (name, id), count = max(own.items(), key=lambda item: item[1])
    before = {m.record: m.times for m in table.look_up(name)}
    after = {m.record: m.times for m in table.look_up(name, own)}
    assert before[table.number[id]] == count and after[table.number[id]] == 0


def test_a_short_name_has_the_candidates_of_a_longer_one():
    table = NameTable()
    table.add_name("Ann Lee", table.add_record("ann", "Ann Lee"))
    text = "Ann Lee spoke . Lee left ."
    mentions = [Mention(0, 7, "Ann Lee"), Mention(16, 19, "Lee")]
    options = list_options([build_document("d", text, mentions)], table, context=True)
    assert options.record.tolist() == [-1, 0, -1, 0]


def test_an_entity_counts_as_one_mention():
    name, entity = np.array([0, 0, 1, 2]), np.array([5, 5, 5, 7])
    assert count_repeats(name, entity).tolist() == [4, 4, 2, 1]


def test_links_of_single_mentions_are_their_own_probabilities():
    mentions = [Mention(0, 1, "A"), Mention(2, 3, "B")]
    document = build_document("d", "A B", mentions)
    features = np.zeros((5, 1), np.int32)
    options = LinkOptions(features, np.array([0, 3, 5]), np.array([-1, 0, 1, -1, 0]))
    p = np.array([0.2, 0.5, 0.3, 0.6, 0.4])
    alone = np.arange(2)
    links = score_links([document], options, p, alone)
    found = links.probabilities(alone).toarray()
    assert found == pytest.approx(np.array([[0.5, 0.3], [0.4, 0.0]]), abs=2e-3)


def test_agreement_of_links_is_a_feature_of_pairs_with_candidates():
    documents = make_documents(2)
    corpus = encode_corpus(documents)
    options = list_options(documents, make_table(), context=False)
    shares = np.repeat(1 / np.diff(options.start), np.diff(options.start))
    column = add_agreement(corpus, options, shares).features[:, AGREEMENT]
    form = np.concatenate([of.form for of in corpus.attributes])
    named = (form[corpus.pairs.mention] == PROP) & (form[corpus.pairs.other] == PROP)
    assert (column[corpus.pair_options[named]] > 0).all()
    assert not column[corpus.pair_options[~named]].any()
    assert not column[corpus.start[:-1]].any() and not corpus.features[:, AGREEMENT].any()


@pytest.mark.skipif(interpreted(), reason="whole fits run compiled only")
def test_joint_inference_links_last_names_by_full_names():
    train, test = make_documents(60), make_documents(10, first=200)
    table = make_table(train)
    antecedents = fit_antecedents(train)
    links = fit_links(train, table, context=False).model
    corpus = encode_corpus(test)
    problem = build_problem(corpus, antecedents, table, links)
    found = infer_entities(problem, draws=10, seed=1)
    assert bcubed(found.entity, corpus.entities()).f1 > 0.9
    mentions = [m for document in test for m in document.mentions]
    shares, right = found.links, []
    assert (np.asarray(shares.sum(1)) <= 1 + 1e-9).all()
    for k, mention in enumerate(mentions):
        cells = slice(shares.indptr[k], shares.indptr[k + 1])
        if mention.link and shares.data[cells].size:
            best = problem.links.record[shares.indices[cells][np.argmax(shares.data[cells])]]
            right.append(table.ids[best] == mention.link)
    assert np.mean(right) > 0.9
