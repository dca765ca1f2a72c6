"""Citations to papers: the benchmark runs on generated citations."""

import json

from benchmarks.extract_resolve import main

PAPERS = {
    "1": ("A. Lee", "Sampling large partitions", "Journal of Entities", "1999"),
    "2": ("B. Orr", "Merging noisy records", "Proceedings of Linkage", "2001"),
    "3": ("E. Fox", "Learning with constraints", "Journal of Rules", "2004"),
}


def test_the_benchmark_prints_all_ways(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "rexa1k"
    folder.mkdir()
    blocks = []
    for paper, parts in PAPERS.items():
        for last in ("", "pp. 1-9."):
            tokens = f"{' . '.join(parts)} . {last}".split()
            blocks.append(f"{paper}\n" + "\t".join(tokens) + "\n" + "\t".join("O" for _ in tokens))
    (folder / "citations.txt").write_text("\n\n".join(blocks))
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    assert main(["--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["way"] for row in printed["rows"]] == ["text", "joint", "one best"]
    assert main(["--papers", "1"]) == 1
    assert "--papers is 1; give at least 2" in capsys.readouterr().err
