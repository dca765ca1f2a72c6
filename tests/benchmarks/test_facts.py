import json

from benchmarks.facts import main, make_graph


def test_the_graph_has_its_facts():
    triples = make_graph(2000)
    assert triples.n == 2000
    assert len(triples.relations) == 50


def test_one_json_line(capsys):
    main(["--json", "--quick"])
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["facts"] == 2000
    assert found["groundings"]["latent"] > 0
