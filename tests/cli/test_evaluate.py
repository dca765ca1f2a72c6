"""`partita evaluate`."""

import json

import pytest

from partita.metrics import calibration, estimate, evaluate
from tests.cli.running import refused, run, told

FOUND = ["a", "a", "b", "b", "c", "c"]
TRUE = ["x", "x", "x", "y", "z", "z"]


def table(path, **columns):
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(str(one) for one in row) for row in [names, *rows])
    path.write_text(text + "\n")
    return path


@pytest.fixture
def out(tmp_path):
    return table(tmp_path / "out.csv", id=range(6), cluster_id=FOUND, person=TRUE)


def test_all_scores_of_one_file(out):
    found = told("evaluate", out, "--truth-column", "person")
    expected = json.loads(json.dumps(evaluate(FOUND, TRUE).as_dict()))
    assert {name: found[name] for name in expected} == expected
    assert found["estimate"] is None
    assert found["calibration"] is None


def test_the_truth_is_joined_by_id(out, tmp_path):
    order = [5, 3, 1, 0, 2, 4]
    truth = table(tmp_path / "t.csv", key=[*order, 77], who=[*(TRUE[k] for k in order), "w"])
    own = table(tmp_path / "o.csv", key=range(6), cluster_id=FOUND)
    words = ("evaluate", own, "--truth", truth, "--truth-column", "who", "--id", "key")
    found = told(*words)
    assert found["pairwise"]["f1"] == evaluate(FOUND, TRUE).pairwise.f1
    assert found["unknown_ids"] == 1
    shown = run(*words).stdout
    for part in ("pairwise", "B-cubed", "MUC", "CEAF-e", "exact clusters", "adjusted Rand"):
        assert part in shown
    assert "lacks 1 id of" in run(*words).stderr


def test_some_labels_give_intervals(out, tmp_path):
    truth = table(tmp_path / "t.csv", id=[0, 1, 2, 3], who=TRUE[:4])
    words = ("evaluate", out, "--truth", truth, "--truth-column", "who", "--seed", 3)
    found = told(*words)
    part = [*TRUE[:4], None, None]
    expected = estimate(FOUND, part, seed=3).as_dict()
    assert found["unlabelled"] == 2
    assert found["estimate"] == json.loads(json.dumps(expected))
    assert "Estimated for all 6 records from 4 labelled" in run(*words).stdout
    sampled = told(*words, "--sampled", "clusters")["estimate"]
    assert sampled["sampled"] == "clusters"


def test_calibration_is_of_near_pairs(out, tmp_path):
    pairs = table(
        tmp_path / "p.csv",
        unique_id_l=[0, 1, 3, 4, 0],
        unique_id_r=[1, 2, 4, 5, 99],
        match_probability=[0.9, 0.5, 0.001, 0.9, 0.9],
        p_same=[0.95, 0.4, 0.002, 0.9, 0.9],
    )
    words = ("evaluate", out, "--truth-column", "person", "--pairs", pairs)
    found = told(*words)["calibration"]
    expected = calibration([0.95, 0.4, 0.9], [True, True, True])
    assert found["pairs"] == 3
    assert found["ece_width"] == pytest.approx(expected.ece_width)
    shown = run(*words)
    assert "over 3 pairs" in shown.stdout
    assert "1 pair without labels" in shown.stderr


def test_sources_may_use_the_same_ids(tmp_path):
    out = table(
        tmp_path / "o.csv", id=[1, 2, 1, 2], where=["a", "a", "b", "b"], cluster_id=[1, 2, 1, 3]
    )
    truth = table(tmp_path / "t.csv", id=[2, 1, 2, 1], where=["b", "b", "a", "a"], who=[2, 1, 2, 1])
    words = ("evaluate", out, "--truth", truth, "--truth-column", "who")
    assert "same id" in refused(*words)
    found = told(*words, "--source", "where")
    assert found["pairs_true"] == 2
    assert found["pairs_shared"] == 1
    pairs = table(tmp_path / "p.csv", unique_id_l=[1], unique_id_r=[2], p_same=[0.5])
    assert "same ids" in refused(*words, "--source", "where", "--pairs", pairs)
    named = table(
        tmp_path / "n.csv", unique_id_l=[1], unique_id_r=[1], source_dataset_l=["a"],
        source_dataset_r=["b"], p_same=[0.5],
    )  # fmt: skip
    assert told(*words, "--source", "where", "--pairs", named)["calibration"]["pairs"] == 1


def test_equal_ids_in_the_result_of_several_files_name_the_option(tmp_path):
    out = table(
        tmp_path / "o.csv", source_dataset=["a", "b"], id=[1, 1], cluster_id=[1, 1], who=[1, 2]
    )
    words = ("evaluate", out, "--truth-column", "who")
    assert "--source source_dataset" in refused(*words)
    assert told(*words, "--source", "source_dataset")["pairs_true"] == 0


def test_what_cannot_be_compared_is_refused(out, tmp_path):
    assert "no column 'who'" in refused("evaluate", out, "--truth-column", "who")
    said = refused("evaluate", out, "--truth-column", "person", "--cluster-column", "c")
    assert "no column 'c'" in said
    other = table(tmp_path / "t.csv", id=[70, 71], person=["x", "y"])
    assert "no id of" in refused("evaluate", out, "--truth", other, "--truth-column", "person")
    assert "no file" in refused("evaluate", tmp_path / "none.csv", "--truth-column", "person")
    said = refused("evaluate", out, "--truth-column", "person", "--pairs", other)
    assert "no column 'id_l'" in said
    wrong = table(tmp_path / "w.csv", unique_id_l=[0], unique_id_r=[1], p_same=["much"])
    said = refused("evaluate", out, "--truth-column", "person", "--pairs", wrong)
    assert "is not numeric" in said


def test_an_empty_pairs_file_leaves_the_other_scores(out, tmp_path):
    words = ("evaluate", out, "--truth-column", "person")
    empty = tmp_path / "p.csv"
    empty.write_text("id_l,id_r,match_weight,match_probability,p_same\n")
    found = told(*words, "--pairs", empty)
    assert found["calibration"] is None
    assert found["pairwise"] == told(*words)["pairwise"]
    assert "calibration is not measured" in run(*words, "--pairs", empty).stderr
