"""Horn rules as text: head(x, y) :- body(x, z), body(z, y), each with an optional confidence.

All terms are variables unless they are quoted. `parse_rules` reads these forms, line by line:

    worksFor(x, y) :- profAt(x, y)                  Prolog, also with a full stop at the end
    0.9 :: worksFor(x, y) :- profAt(x, y)           with confidence, as in ProbLog
    profAt(x, y) ==> worksFor(x, y)<TAB>0.9         KALE, RUGE
    ?a profAt ?b => ?a worksFor ?b<TAB>0.9          AMIE
    profAt:INV => employs                           pairs: the same pair, or its inverse
    0.9<TAB>grandpa<TAB>father<TAB>parent           mined chains: head, then body; `_v` is inverse
    not bornIn(x, z) :- bornIn(x, y), y != z        a rule that forbids its head
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from partita.errors import InputError

__all__ = ["Atom", "Constant", "Rule", "load_rules", "parse_rule", "parse_rules"]


class Constant(NamedTuple):
    """A quoted term: the name of an entity."""

    name: str

    def __str__(self) -> str:
        return f'"{self.name}"'


Term = str | Constant


class Atom(NamedTuple):
    """A relation between two terms; a term is the name of a variable, or a constant."""

    relation: str
    first: Term
    second: Term

    @property
    def terms(self) -> tuple[Term, Term]:
        """Both terms."""
        return self.first, self.second

    @property
    def variables(self) -> tuple[str, ...]:
        """The distinct variables."""
        return tuple(dict.fromkeys(term for term in self.terms if isinstance(term, str)))

    def __str__(self) -> str:
        name = self.relation if re.fullmatch(NAME, self.relation) else f'"{self.relation}"'
        return f"{name}({self.first}, {self.second})"


@dataclass(frozen=True)
class Rule:
    """A Horn rule: the head holds, or with `negated` fails, wherever the body holds."""

    head: Atom
    body: tuple[Atom, ...]
    negated: bool = False
    distinct: tuple[tuple[Term, Term], ...] = ()
    """Pairs of terms that must differ."""
    confidence: float | None = None
    """The share of bodies whose head holds, as the user states it; None leaves it to the data."""
    line: int | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of head and body, the head's first."""
        return tuple(dict.fromkeys([self.head.relation, *(atom.relation for atom in self.body)]))

    def __str__(self) -> str:
        parts = [str(atom) for atom in self.body] + [f"{a} != {b}" for a, b in self.distinct]
        return f"{'not ' if self.negated else ''}{self.head} :- {', '.join(parts)}"


NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
QUOTED = r"\"[^\"]*\"|'[^']*'"
NAME = r"[^\s(),&?!\"'][^\s(),&]*"
TERM = rf"(?:{QUOTED}|[^\s(),&\"']+)"
NOT = r"not\s+|\\\+\s*|!\s*|¬\s*"
ATOM = re.compile(rf"({NOT})?({QUOTED}|{NAME})\s*\(([^()]*)\)")
UNEQUAL = re.compile(rf"({TERM})\s*(?:!=|\\=|\\==)\s*({TERM})")
TRIPLE = re.compile(rf"(\?\w+|{QUOTED}|<[^>]*>)\s+(\S+)\s+(\?\w+|{QUOTED}|<[^>]*>)")
FIRST_NUMBER = re.compile(rf"({NUMBER})\s*(?:::|\s)\s*(?=\D)")
LAST_NUMBER = re.compile(rf"\s+\[?({NUMBER})\]?(?:\s+\[?{NUMBER}\]?)*$|\s*\[({NUMBER})\]$")
ARROW = re.compile(r"\s*(?:==>|=>|⇒)\s*")
INVERSE = (":INV", "_v")
"""Suffixes of inverse relations in rules without variables (low-rank-logic, UniKER)."""
COMMENTS = ("//", "#", "%")
MAX_LETTERS = 2_000
"""Characters of a rule at most: expressions search a rule in quadratic time."""
EXAMPLE = "write head(x, y) :- body(x, z), body(z, y)"


def load_rules(source: str | os.PathLike[str] | Iterable[str | Rule]) -> list[Rule]:
    """Load rules from a path, from a text with one rule a line, or from a list of rules."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not _is_text(source)):
        path = Path(source)
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read as rules: {error}; give a text file") from None
        return parse_rules(text, str(path))
    if isinstance(source, str):
        return parse_rules(source)
    rules = list(source)
    lines = [rule if isinstance(rule, Rule) else parse_rule(rule) for rule in rules]
    return [replace(rule, line=at + 1) for at, rule in enumerate(lines)]


def _is_text(source: str) -> bool:
    """Return whether a string holds rules, not a path."""
    return "\n" in source or ":-" in source or ARROW.search(source) is not None


def parse_rules(text: str, name: str = "rules") -> list[Rule]:
    """Parse a text with one rule a line; blank lines and comments (//, #, %) are skipped.

    Examples
    --------
    >>> [rule] = parse_rules("0.9 :: employs(y, x) :- profAt(x, y).")
    >>> print(rule, rule.confidence)
    employs(y, x) :- profAt(x, y) 0.9
    """
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if content and not content.startswith(COMMENTS):
            rules.append(replace(parse_rule(content, f"line {number} of {name}"), line=number))
    if not rules:
        raise InputError(f"{name} holds no rule; {EXAMPLE}, one a line")
    return rules


def parse_rule(text: str, where: str = "the rule") -> Rule:
    """Parse one rule, and check that its body binds every variable of its head."""
    if len(text) > MAX_LETTERS:
        raise InputError(
            f"{where} has {len(text):,} characters; write at most {MAX_LETTERS:,} in one rule"
        )
    content, confidence = _split_confidence(text.strip(), where)
    if ":-" in content:
        head, _, body = content.partition(":-")
        rule = _build(head, body.strip().removesuffix("."), text, where)
    elif ARROW.search(content):
        body, head = ARROW.split(content, maxsplit=1)
        rule = _build(head, body, text, where)
    elif confidence is not None and "(" not in content and len(content.split()) > 1:
        rule = _build_chain(content.split())
    else:
        raise InputError(f"{where} is {text.strip()!r}, which is no rule; {EXAMPLE}")
    _check(rule, where)
    return replace(rule, confidence=confidence)


def _split_confidence(text: str, where: str) -> tuple[str, float | None]:
    """Split a confidence off the start or the end of a rule."""
    first = FIRST_NUMBER.match(text)
    last = None if first else LAST_NUMBER.search(text)
    if first:
        number, rest = first[1], text[first.end() :]
    elif last:
        number, rest = last[1] or last[2], text[: last.start()]
    else:
        return text, None
    confidence = float(number)
    if not 0 < confidence <= 1:
        raise InputError(f"{where} has the confidence {number}; give a number above 0, at most 1")
    return rest.strip(), confidence


def _build(head: str, body: str, text: str, where: str) -> Rule:
    heads, body_atoms = _parse_atoms(head, text, where), _parse_atoms(body, text, where)
    if len(heads) != 1:
        raise InputError(f"{where} is {text.strip()!r} with {len(heads)} heads; give one head")
    if not body_atoms:
        raise InputError(f"{where} is {text.strip()!r}, without a body; {EXAMPLE}")
    negated, atom = heads[0]
    if any(sign for sign, _ in body_atoms):
        raise InputError(f"{where} negates an atom of its body; negate the head alone")
    unequal = tuple((_parse_term(a), _parse_term(b)) for a, b in UNEQUAL.findall(body))
    return Rule(atom, tuple(body_atom for _, body_atom in body_atoms), negated, unequal)


def _parse_atoms(part: str, text: str, where: str) -> list[tuple[bool, Atom]]:
    """Parse the atoms of one side of a rule, in any of the forms."""
    left = UNEQUAL.sub(" ", part)
    atoms = []
    for match in ATOM.finditer(left):
        terms = [term.strip() for term in match[3].split(",")]
        if len(terms) != 2 or not all(re.fullmatch(TERM, term) for term in terms):
            raise InputError(f"{where} has the atom {match[0].strip()!r}; give it two terms")
        atom = Atom(_unquote(match[2]), *map(_parse_term, terms))
        atoms.append((match[1] is not None, atom))
    if not atoms:
        for match in TRIPLE.finditer(left):
            atom = Atom(_unquote(match[2]), _parse_term(match[1]), _parse_term(match[3]))
            atoms.append((False, atom))
    rest = (ATOM if "(" in left else TRIPLE).sub(" ", left).strip(" ,&^.\t")
    if atoms and rest:
        raise InputError(f"{where} is {text.strip()!r}, where {rest!r} is no atom; {EXAMPLE}")
    if not atoms and rest:
        if len(rest.split()) > 1 or re.search(r"[()]", rest):
            raise InputError(f"{where} is {text.strip()!r}, where {rest!r} is no atom; {EXAMPLE}")
        atoms.append((False, _orient(rest, "x", "y")))
    return atoms


def _orient(relation: str, first: str, second: str) -> Atom:
    """Make the atom of a relation without variables, whose suffix may mark the inverse."""
    for suffix in INVERSE:
        if relation.endswith(suffix):
            return Atom(relation.removesuffix(suffix), second, first)
    return Atom(relation, first, second)


def _build_chain(names: Sequence[str]) -> Rule:
    """Build head(x0, xn) :- b1(x0, x1), ..., bn(xn-1, xn) from a mined list of relations."""
    head, *body = names
    steps = [_orient(name, f"x{k}", f"x{k + 1}") for k, name in enumerate(body)]
    return Rule(_orient(head, "x0", f"x{len(body)}"), tuple(steps))


def _unquote(name: str) -> str:
    return name[1:-1] if name[0] in "\"'" and name[-1] == name[0] and len(name) > 1 else name


def _parse_term(text: str) -> Term:
    if text[0] in "\"'":
        return Constant(text[1:-1])
    return Constant(text[1:-1]) if text[0] == "<" else text.removeprefix("?")


def _check(rule: Rule, where: str) -> None:
    bound = {variable for atom in rule.body for variable in atom.variables}
    for variable in rule.head.variables:
        if variable not in bound:
            raise InputError(
                f"{where} leaves the variable {variable!r} of its head {rule.head} unbound; "
                "use it in the body, or quote it if it names an entity"
            )
    for pair in rule.distinct:
        for term in pair:
            if isinstance(term, str) and term not in bound:
                raise InputError(f"{where} compares the unbound variable {term!r}; bind it")
    _check_connection(rule, where)


def _check_connection(rule: Rule, where: str) -> None:
    """Refuse an atom that shares no variable with the others: it multiplies the bindings."""
    left = [atom for atom in (rule.head, *rule.body) if atom.variables]
    reached = set(left[0].variables) if left else set()
    while near := [atom for atom in left if reached & set(atom.variables)]:
        reached.update(variable for atom in near for variable in atom.variables)
        left = [atom for atom in left if atom not in near]
    if left and reached:
        raise InputError(
            f"{where} has the atom {left[0]}, which shares no variable with the others; connect "
            "or remove it"
        )
