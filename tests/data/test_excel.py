"""Sheets of Excel workbooks."""

import datetime
import gzip
import zipfile
from xml.sax.saxutils import escape

import pytest

from partita.data import sources
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


def sheet_of(*references):
    """The rows of a sheet as XML, each with one cell at its reference."""
    rows = []
    for reference in references:
        number = reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        rows.append(f'<row r="{number}"><c r="{reference}"><v>1</v></c></row>')
    return "".join(rows)


def replace_sheet(path, rows):
    """Write a workbook of one sheet with these rows of XML."""
    whole = workbook(path.with_name("whole.xlsx"), S=[["a"]])
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("s1.xml"):
                text = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
            new.writestr(name, text)
    return path


def test_a_stray_cell_in_the_last_row_and_column_is_refused(tmp_path):
    path = replace_sheet(tmp_path / "stray.xlsx", sheet_of("A1", "A2", "XFD1048576"))
    assert path.stat().st_size < 5_000
    with pytest.raises(InputError, match=r"spans 1,048,576 rows and 16,384 columns.*stray cells"):
        read_file(path)


def test_stray_cells_without_a_value_and_bounds_of_an_offset_sheet_are_no_extent(tmp_path):
    empty = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    rows = '<row r="9"><c r="C9" t="inlineStr"><is><t>n</t></is></c></row>' + sheet_of("C10")
    path = replace_sheet(tmp_path / "empty.xlsx", rows + empty)
    assert read_file(path).to_pylist() == [{"n": 1}]
    implicit = '<row r="1048576">' + "<c><v>1</v></c>" * 80 + "</row>"
    with pytest.raises(InputError, match="spans 1,048,576 rows and 80 columns"):
        read_file(replace_sheet(tmp_path / "implicit.xlsx", sheet_of("A1") + implicit))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (sheet_of("A5", "A2"), "row 2 of a sheet of .* follows row 5"),
        (sheet_of("A1") + "<row", "holds broken XML"),
    ],
)
def test_sheets_in_another_order_or_with_broken_xml_are_refused(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_file(replace_sheet(tmp_path / "odd.xlsx", rows))


def test_packed_files_that_expand_without_bound_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "FREE_BYTES", 1 << 20)
    bomb = replace_sheet(tmp_path / "bomb.xlsx", sheet_of("A1") + " " * (4 << 20))
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" * (1 << 20)))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", "a,b\n" * (1 << 20))
    for path in (bomb, tmp_path / "bomb.csv.gz", tmp_path / "bomb.zip"):
        with pytest.raises(InputError, match="expands to more than 200 times its size"):
            read_file(path)
