"""Every option acts, or is refused where it has no effect; wrong words are one sentence."""

import pytest
import typer.main

from partita.cli import app
from partita.cli.combinations import IDLE, check_combination
from partita.cli.options import COMPARE_SETTINGS, INFER_SETTINGS, LINK_SETTINGS, READ_SETTINGS
from partita.errors import InputError, shorten
from partita.store import Store
from tests.cli.running import refused, run

GROUP = typer.main.get_command(app)
ALWAYS = {"out", "config", "force", "json", "quiet", "help", "seed"}
"""Options that act in every combination: `force` permits and `quiet` forbids."""
ACTING = {
    "resolve": {
        *INFER_SETTINGS,
        *("pairs", "report", "golden", "store", "save_model", "constraints", "recipe", "engine"),
        # the code of recipes and of checkpoints refuses these with sentences of their own
        *("truth_column", "resume", "address"),
    },
    "link": {"safe_cells", *LINK_SETTINGS, "to", "to_id", "aliases", "candidates"},
    "explain": {*INFER_SETTINGS, "to"},
    "profile": {*READ_SETTINGS},
    "init": {*READ_SETTINGS, "compare"},
    "block": {*COMPARE_SETTINGS},
    "label": {*COMPARE_SETTINGS, "count", "model"},
    "evaluate": {
        *("truth_column", "truth", "id", "source", "cluster_column", "pairs", "sampled"),
    },
    "extract": {"schema", "column", "labels", "n_best", "fields", "level", "suggest", "report"}
    | {"encoding", "delimiter", "safe_cells"},
    "schema": {"column"},
    "coref": {"safe_cells", "to", "draws", "threads"},
    "facts": {"rules", "ask", "explain", "rank", "missing"},
    "serve": {"to_id", "name", "type", "aliases", "rows", "port"},
    # the command itself refuses sources and noise of kinds that have none
    "generate": {"kind", "truth", "sources", "noise"},
    "add": {"delete", "dry_run"},
    "find": {"limit"},
    "correct": {"together", "apart", "entity", "members", "file", "remove"},
    "log": {"run"},
    "export": {"safe_cells", "golden", "to", "run"},
}
"""Options of each command that act in every combination with its other options."""
VALUES = {
    "resolve": ["a.csv", "--out", "o.csv"],
    "link": ["a.csv", "--to", "b.csv", "--out", "o.csv"],
    "extract": ["a.txt", "--schema", "citation", "--out", "o.csv"],
    "explain": ["a.csv", "1", "2"],
    "train": ["a.partita"],
    "coref": ["a.jsonl", "--out", "o.csv"],
    "facts": ["a.tsv", "--out", "o.csv"],
    "add": ["a.partita", "--delete", "1"],
    "correct": ["a.partita"],
    "log": ["a.partita"],
    "export": ["a.partita", "--out", "o.csv"],
}
"""Words of each command with which the options of `IDLE` have no effect."""
SITUATIONS = {
    ("resolve", "verbose"): ["--json"],
    ("resolve", "safe_cells"): ["--recipe", "authors"],
    ("link", "verbose"): ["--json"],
    ("extract", "verbose"): ["--json"],
    ("facts", "epochs"): ["--rank", "0"],
    ("add", "reason"): ["--dry-run"],
    **{
        ("explain", name): ["--to", "b.csv"]
        for name in (
            *("constraints", "source", "mode", "one_to_one", "reference", "mentions", "extract"),
            "posterior",
        )
    },
}
"""Further words of single options."""


@pytest.mark.parametrize("command", sorted(GROUP.commands))
def test_every_option_acts_or_has_a_rule(command):
    options = {
        parameter.name
        for parameter in GROUP.commands[command].params
        if parameter.param_type_name == "option"
    }
    ruled = {name for idle in IDLE.get(command, ()) for name in idle.options}
    acting = ACTING.get(command, set()) | ALWAYS
    assert options <= ruled | acting, "classify the new options here, or refuse them in IDLE"
    assert ACTING.get(command, set()) <= options, "options that the command has no more"


CASES = [
    (command, name)
    for command, rules in IDLE.items()
    for name in dict.fromkeys(name for idle in rules for name in idle.options)
    if any(parameter.name == name for parameter in GROUP.commands[command].params)
]


def spell(command, name):
    """An option and a value that its type accepts."""
    [parameter] = [each for each in GROUP.commands[command].params if each.name == name]
    if parameter.is_flag:
        return [parameter.opts[0]]
    return [parameter.opts[0], "1"]


@pytest.mark.parametrize(("command", "name"), CASES)
def test_options_without_effect_are_refused(command, name):
    words = [*VALUES[command], *SITUATIONS.get((command, name), []), *spell(command, name)]
    if (command, name) == ("train", "dry_run"):
        words[0] = "a.csv"
    sentence, flag = refused(command, *words), spell(command, name)[0]
    assert sentence.startswith(f"{flag} has no effect ")
    assert sentence.endswith(f"leave {flag} out\n")


FINE = [
    ("resolve", {"survivorship", "golden"}),
    ("resolve", {"survivorship", "store"}),
    ("resolve", {"extract_column", "extract", "verbose"}),
    ("resolve", {"extract_column", "config"}),
    ("explain", {"to_id", "aliases", "to"}),
    ("explain", {"mode", "constraints", "posterior"}),
    ("train", {"labels", "out", "seed", "force"}),
    ("coref", {"to", "to_id", "name", "aliases"}),
    ("facts", {"rules", "rated", "conflicts", "depth", "learn", "epochs"}),
    ("add", {"file", "source", "complete", "reason"}),
    ("correct", {"together", "reason"}),
    ("correct", {"remove", "dry_run"}),
    ("log", {"run", "limit", "offset"}),
    ("export", {"golden", "survivorship"}),
]


@pytest.mark.parametrize(("command", "names"), FINE)
def test_the_same_options_act_in_other_combinations(command, names):
    check_combination(command, {"files": ["a.csv"], **dict.fromkeys(names, "x")})


@pytest.mark.parametrize(
    "words",
    [
        ("resolve", "a.csv", "--outt", "o.csv"),
        ("resolve", "--seed", "many", "a.csv"),
        ("link", "a.csv"),
        ("merge", "a.csv"),
        ("generate", "10", "--out"),
        ("undo", "a.partita", "x"),
        ("--nothing",),
        ("serve", "music", "a.csv"),
        ("resolve", "a.csv", "--out", "o.csv", f"--{'x' * 100_000}"),
    ],
)
def test_wrong_words_are_one_sentence(words):
    sentence = refused(*words)
    assert sentence.endswith("--help` lists the options\n") and "Usage" not in sentence
    assert len(sentence) < 400


def test_a_command_without_words_prints_its_help():
    assert "Usage" in run().output and "Resolve messy records" in run().output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"no record {'x' * 500!r}; check", "no record '" + "x" * 60 + "... (500 characters)'"),
        ("y" * 300, "y" * 60 + "... (300 characters)"),
        (f"column 'a' {'and so on ' * 30} 'b'", f"column 'a' {'and so on ' * 30} 'b'"),
        (f"a record's id {'is long ' * 30} isn't it", f"a record's id {'is long ' * 30} isn't it"),
    ],
)
def test_long_values_are_cut_in_messages(text, expected):
    assert shorten(text).startswith(expected) and len(shorten(text)) < len(expected) + 20
    assert str(InputError(text)) == shorten(text)


def test_a_reason_with_control_characters_stays_in_its_row(people_store):
    reason = "a\nb\tc\x1b[2Jd\re"
    with Store(people_store) as store:
        store.correct(together=[["1", "2"]], reason=reason)
    found = run("log", people_store).stdout
    assert found.count("\n") == 3 and r"a\nb\tc\x1b[2Jd\re" in found
    sentence = refused("history", people_store, "z" * 100_000)
    assert "100,000 characters" in sentence and len(sentence) < 300


@pytest.fixture
def people_store(tmp_path):
    rows = "id,name,town\n1,Ann Lee,Ely\n2,Anne Lee,Ely\n3,Bob Orr,Bath\n4,Robert Orr,Bath\n"
    (tmp_path / "people.csv").write_text(rows)
    path = tmp_path / "people.partita"
    assert run("resolve", tmp_path / "people.csv", "--store", path, "-q").exit_code == 0
    return path
