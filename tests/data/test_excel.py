"""Sheets of Excel workbooks."""

import datetime
import zipfile
from xml.sax.saxutils import escape

import pytest

from partita.data.files import read_file
from partita.data.read import read
from partita.errors import InputError

TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
EPOCH = datetime.date(1899, 12, 30)


def cell(value):
    """A cell as Excel stores it: texts inline, dates as days of style 1."""
    if value is None:
        return "<c/>"
    if isinstance(value, datetime.date):
        return f'<c s="1"><v>{(value - EPOCH).days}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def workbook(path, **sheets):
    """Write a workbook with the parts that a reader needs."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{k}" Type="{RELATION}/worksheet" Target="worksheets/s{k}.xml"/>'
            for k in numbers
        )
        + f'<Relationship Id="r0" Type="{RELATION}/styles" Target="styles.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATION}"><sheets>'
        + "".join(
            f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>'
            for k, name in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for k, rows in zip(numbers, sheets.values(), strict=True):
        lines = "".join("<row>" + "".join(map(cell, row)) + "</row>" for row in rows)
        parts[f"xl/worksheets/s{k}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return path


PEOPLE = [
    ["id", "name", "born", "size", "", "name"],
    ["007", "Zoë & Ann", datetime.date(1990, 2, 3), 1.5, None, "x"],
    [None] * 6,
    ["8", None, datetime.date(1985, 12, 31), 2, None, 5],
]


def test_a_sheet_keeps_texts_dates_and_numbers(tmp_path):
    path = workbook(tmp_path / "a.xlsx", People=PEOPLE)
    assert read_file(path).to_pylist() == [
        {
            **{"id": "007", "name": "Zoë & Ann", "born": datetime.date(1990, 2, 3), "size": 1.5},
            **{"column_5": None, "name_2": "x"},
        },
        {
            **{"id": "8", "name": None, "born": datetime.date(1985, 12, 31), "size": 2.0},
            **{"column_5": None, "name_2": "5"},
        },
    ]
    records = read(path)
    assert records.ids.to_pylist() == ["007", "8"]
    column = records.column("born")
    assert [column.values[code].as_py() for code in column.codes.tolist()] == [
        "1990 02 03",
        "1985 12 31",
    ]


def test_sheets_are_chosen_by_name(tmp_path):
    path = workbook(tmp_path / "a.xlsx", People=PEOPLE, Empty=[], Towns=[["town"], ["Ely"]])
    with pytest.raises(
        InputError, match=r"has 2 sheets; write .*::NAME with one of: People, Towns"
    ):
        read_file(path)
    assert read_file(f"{path}::Towns").to_pylist() == [{"town": "Ely"}]
    with pytest.raises(InputError, match="has no sheet 'Rivers'"):
        read_file(f"{path}::Rivers")


def test_a_sheet_without_a_header(tmp_path):
    rows = [[k, f"p{k}@ely.org", datetime.date(1980, 1, 1 + k)] for k in range(9)]
    path = workbook(tmp_path / "a.xlsx", People=rows)
    records = read(path)
    assert records.n == 9
    assert records.names == ("column_1", "column_2", "column_3")
    assert "has no header" in records.notes[0]
    assert read(path, header=True).n == 8


def test_workbooks_without_records_or_whole_bytes(tmp_path):
    with pytest.raises(InputError, match="has a header and no records"):
        read_file(workbook(tmp_path / "a.xlsx", People=PEOPLE[:1]))
    with pytest.raises(InputError, match="is empty"):
        read_file(workbook(tmp_path / "b.xlsx", People=[]))
    (tmp_path / "c.xlsx").write_bytes(b"id,name\n1,Ann\n")
    with pytest.raises(InputError, match="is no excel file"):
        read_file(tmp_path / "c.xlsx")
    (tmp_path / "d.xls").write_bytes(b"\xd0\xcf\x11\xe0 and no more")
    with pytest.raises(InputError, match="cannot be read"):
        read_file(tmp_path / "d.xls")
