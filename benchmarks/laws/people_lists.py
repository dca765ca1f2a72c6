"""Generated lists of people at work: contacts of firms, and players of teams by season."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from partita.synthetic.addresses import city_names
from partita.synthetic.company_words import coined_names
from partita.synthetic.dice import Dice
from partita.synthetic.spoil import spoil_rows
from partita.synthetic.work_words import build_person, write_person

__all__ = ["generate_contacts", "generate_players"]

Row = dict[str, Any]
ROLES = (
    *("Manager", "Engineer", "Analyst", "Director", "Assistant", "Buyer", "Head of Sales"),
    *("Technician", "Consultant", "Accountant"),
)
POSITIONS = ("goalkeeper", "defender", "midfielder", "forward")
STAFF = 12
"""Contacts of a firm on average."""
SQUAD = 20
"""Players of a team on average."""
MAX_SEASONS = 5
"""Seasons of one player in one list at most."""
TRANSFER = 0.2
"""Chance that a player has another team in the next season."""


def generate_contacts(n: int, seed: int, repeat: float = 0.2) -> pa.Table:
    """Contacts of firms: name, firm, role, office, e-mail; few have a second record."""
    dice = Dice(seed)
    firms = [dice.pick(coined_names()) for _ in range(max(3, n // STAFF))]
    return _fill(n, dice, lambda number: _list_contact(dice, firms, repeat))


def _list_contact(dice: Dice, firms: list[str], repeat: float) -> list[Row]:
    name, firm = build_person(dice), dice.pick(firms)
    user = f"{name[0][0]}.{name[1]}".lower() if dice.happens(0.5) else name[0].lower()
    row: Row = {
        "name": write_person(name, 0),
        "firm": firm,
        "role": dice.pick(ROLES),
        "office": f"{dice.between(1, 8)}.{dice.between(1, 60):02d}",
        "email": f"{user}@{firm.lower().replace(' ', '')}.example",
    }
    rows = [row]
    if dice.happens(repeat):
        (copy,) = spoil_rows([row | {"name": write_person(name, dice.below(3))}], dice.below(2**31))
        rows.append(copy | {"role": dice.pick(ROLES)} if dice.happens(0.3) else copy)
    return rows


def generate_players(n: int, seed: int) -> pa.Table:
    """Players of two lists, one record a season: one to five records of a player on each side."""
    dice = Dice(seed)
    teams = [f"{dice.pick(city_names())} {dice.pick(('United', 'City', 'Rovers', 'Athletic'))}"]
    teams += [dice.pick(city_names()) for _ in range(max(3, n // SQUAD))]
    return _fill(n, dice, lambda number: _list_seasons(dice, teams))


def _list_seasons(dice: Dice, teams: list[str]) -> list[Row]:
    name, team, born = build_person(dice), dice.pick(teams), dice.between(1970, 2004)
    position, first = dice.pick(POSITIONS), dice.between(2012, 2020)
    rows = []
    for source in ("league", "press") if dice.happens(0.6) else (dice.pick(("league", "press")),):
        for season in range(dice.between(1, MAX_SEASONS)):
            team = dice.pick(teams) if dice.happens(TRANSFER) else team
            row: Row = {
                "player": write_person(name, 0 if source == "league" else dice.below(3)),
                "club": team,
                "born": str(born + (dice.happens(0.05) and 1)),
                "position": position if dice.happens(0.9) else dice.pick(POSITIONS),
                "season": str(first + season),
            }
            (copy,) = spoil_rows([row], dice.below(2**31)) if dice.happens(0.3) else (row,)
            rows.append(copy | {"source": source})
    return rows


def _fill(n: int, dice: Dice, build: Callable[[int], list[Row]]) -> pa.Table:
    """Rows of entities in random order until there are enough."""
    rows: list[Row] = []
    entity = 0
    while len(rows) < n:
        rows += [row | {"entity": str(entity)} for row in build(entity)]
        entity += 1
    return pa.Table.from_pylist(dice.shuffle(rows[:n]))
