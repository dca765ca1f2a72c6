"""Roles of the columns of author mentions: names, coauthors, titles and venues."""

from __future__ import annotations

from partita.data import Records
from partita.errors import InputError

__all__ = ["CONTENTS", "ROLES", "find_roles", "roles_of"]

ROLES = {
    "last": ("last", "lastname", "lname", "surname", "family", "familyname"),
    "first": (
        *("first", "firstname", "fname", "given", "givenname", "givennames"),
        *("forename", "forenames"),
    ),
    "middle": ("middle", "middlename", "middlenames", "mname"),
    "name": (
        *("name", "fullname", "authorname", "author", "mention", "mentionname"),
        *("researcher", "researchername", "inventor", "inventorname"),
    ),
    "coauthors": ("coauthors", "coauthor", "coauthornames", "authors", "coinventors"),
    "title": (
        *("title", "papertitle", "articletitle", "publicationtitle", "patenttitle"),
        *("paper", "article", "publication"),
    ),
    "venue": (
        *("venue", "journal", "booktitle", "conference", "publicationname"),
        *("venuename", "journalname", "conferencename", "journaltitle"),
    ),
    "affiliation": (
        *("affiliation", "affiliations", "authoraffiliation", "institution"),
        *("assignee", "assignees"),
    ),
}
"""Column names of each role, in lower case and without punctuation."""
CONTENTS = ("title", "venue", "coauthors")
"""Roles of the paper's own columns."""


def find_roles(records: Records) -> dict[str, str]:
    """The column of each role, by its name."""
    columns: dict[str, str] = {}
    for column in records.names:
        columns.setdefault("".join(letter for letter in column.lower() if letter.isalnum()), column)
    return {
        role: next(columns[name] for name in names if name in columns)
        for role, names in ROLES.items()
        if any(name in columns for name in names)
    }


def roles_of(records: Records) -> dict[str, str]:
    """The column of each role; raises without a column of last names or of whole names."""
    roles = find_roles(records)
    if "last" in roles:
        roles.pop("name", None)
    elif "name" not in roles:
        raise InputError(
            "there is no column of last names (last, last_name, surname or family_name), nor one "
            f"of whole names (name or author), among {', '.join(records.names)}; rename one"
        )
    return roles
