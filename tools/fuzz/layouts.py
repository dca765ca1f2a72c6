"""Cases of encodings, delimiters, sheets and options that have no effect."""

from __future__ import annotations

import zipfile
from pathlib import Path
from random import Random

from partita.cli.combinations import IDLE
from partita.data import read
from partita.errors import PartitaError
from tools.fuzz.judge import Refused, Wrong, run_command

__all__ = ["idle_options", "other_encoding", "wide_sheet"]

WORDS = {
    "cp932": ("山田太郎", "佐藤花子", "東京都", "株式会社"),
    "gb18030": ("王伟", "李娜", "北京市", "有限公司"),
    "cp1251": ("Иван Петров", "Анна Смирнова", "Москва"),
    "mac_roman": ("Jürgen Müller", "Käthe Schröder", "Größe"),
    "cp1252": ("José Nuñez", "María Peña", "Málaga"),
    "utf-16": ("Zoë", "Łukasz", "東京"),
    "utf-7": ("Zoë", "Jürgen", "Größe"),
}
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def other_encoding(random: Random, folder: Path) -> None:
    """A file of another encoding and delimiter: every cell is read, or the file is refused."""
    encoding, delimiter = random.choice(list(WORDS)), random.choice(",;\t|^~\x01 ")
    words = [word for word in WORDS[encoding] if delimiter not in word]
    rows = [[str(at), *random.choices(words, k=2)] for at in range(random.randrange(6, 40))]
    lines = [delimiter.join(row) for row in (["id", "name", "town"], *rows)]
    path = folder / "in.csv"
    path.write_bytes("\n".join(lines).encode(encoding))
    try:
        table = read(path, header=True).table
    except PartitaError as error:
        if encoding != "utf-7" and delimiter != " ":
            raise Wrong(f"{encoding} with {delimiter!r} is refused: {error}") from error
        raise Refused(str(error)) from error
    if list(zip(*table.to_pydict().values(), strict=True)) != list(map(tuple, rows)):
        raise Wrong(f"{encoding} with {delimiter!r} is read as {table.to_pydict()}")


def wide_sheet(random: Random, folder: Path) -> None:
    """A workbook with a cell far away: it is read, or refused before memory is allocated."""
    far_cells = (("B", 3), ("Z", 1_000), ("ZZ", 3), ("B", 100_000), ("XFD", 1_048_576))
    column, row = random.choice(far_cells)
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>'
    far = f'<row r="{row}"><c r="{column}{row}"><v>3</v></c></row>'
    path = folder / "in.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{RELATION}'
            '/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{RELATION}'
            '/worksheet" Target="worksheets/s1.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{RELATION}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/worksheets/s1.xml",
            f'<worksheet xmlns="{MAIN}"><sheetData>{cells}{far}</sheetData></worksheet>',
        )
    run_command("profile", path)


ARGUMENTS = {"explain": ("a.csv", "1", "2"), "link": ("a.csv", "--to", "b.csv")}


def idle_options(random: Random, folder: Path) -> None:
    """Random options of a command whose files are missing: a refusal in one sentence."""
    command = random.choice(sorted(IDLE))
    names = {name for idle in IDLE[command] for name in idle.options}
    words = list(ARGUMENTS.get(command, (folder / "a.partita",)))
    for name in random.sample(sorted(names), min(2, len(names))):
        option = "--" + name.replace("_", "-")
        words += [option, "1"] if random.random() < 0.7 else [option]
    run_command(command, *words)
    raise Wrong(f"{command} {words} succeeds without its files")
