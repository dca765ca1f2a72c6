"""Old module names: importing one loads its successor and warns. Version 0.3 removes them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["install"]

ROOT = "partita."
RENAMED = {
    "chains": "text.sequences",
    "chains.lattice": "text.sequences.lattice",
    "chains.likelihood": "text.sequences.likelihood",
    "chains.margin": "text.sequences.margin",
    "chains.multilabel": "learning.multilabel",
    "chains.observed": "text.sequences.observed",
    "chains.samplerank": "text.sequences.samplerank",
    "chains.sequences": "text.sequences.encoding",
    "chains.spans": "text.sequences.spans",
    "chains.tagger": "text.sequences.tagger",
    "records": "data",
    "records.arrays": "data.arrow",
    "records.bibtex": "data.bibtex",
    "records.blocking": "blocking.candidates",
    "records.clean": "data.clean",
    "records.compare": "comparison.comparisons",
    "records.comparers": "comparison.functions",
    "records.dates": "comparison.dates",
    "records.encoded": "blocking.features",
    "records.files": "data.files",
    "records.grams": "blocking.ngrams",
    "records.inverted": "blocking.index",
    "records.kinds": "data.column_types",
    "records.letters": "comparison.letters",
    "records.names": "comparison.names",
    "records.nearest": "blocking.nearest",
    "records.nicknames": "comparison.nicknames",
    "records.profile": "data.profile",
    "records.read": "data.read",
    "records.rules": "blocking.rules",
    "records.scan": "data.dialect",
    "records.similar": "comparison.strings",
    "records.sql": "data.duckdb",
    "records.table": "data.table",
    "records.tex": "data.tex",
    "records.text": "data.csv",
    "records.union": "blocking.union",
    "records.write": "data.write",
    "resolution": "linkage",
    "resolution.anchored": "linkage.supervision.refit",
    "resolution.asking": "linkage.supervision.active_learning",
    "resolution.author_mentions": "linkage.authors.mentions",
    "resolution.author_models": "linkage.authors.models",
    "resolution.author_roles": "linkage.authors.columns",
    "resolution.authors": "linkage.authors.recipe",
    "resolution.bounds": "linkage.pairwise.pruning",
    "resolution.chances": "linkage.inference.marginals",
    "resolution.clock": "progress",
    "resolution.cluster": "linkage.inference.search",
    "resolution.config": "linkage.config",
    "resolution.constraints": "linkage.supervision.constraints",
    "resolution.dependence": "linkage.pairwise.dependence",
    "resolution.draws": "linkage.inference.sampling",
    "resolution.em": "linkage.pairwise.em",
    "resolution.engines": "linkage.routing",
    "resolution.entities": "linkage.entity.model",
    "resolution.evidence": "linkage.pairwise.scored_pairs",
    "resolution.exchanged": "linkage.entity.swapped_fields",
    "resolution.explain": "linkage.output.explain",
    "resolution.full": "linkage.entity.full_posterior",
    "resolution.golden": "linkage.output.golden",
    "resolution.joint": "linkage.inference.model_choice",
    "resolution.kin": "linkage.entity.household",
    "resolution.labels": "linkage.supervision.labels",
    "resolution.memory": "linkage.memory",
    "resolution.models": "linkage.supervision.trained_model",
    "resolution.namesakes": "linkage.entity.conditional_u",
    "resolution.pairs": "linkage.pairwise.model",
    "resolution.patterns": "linkage.pairwise.patterns",
    "resolution.pipeline": "linkage.resolve",
    "resolution.predicates": "linkage.supervision.predicates",
    "resolution.prepare": "linkage.prepare",
    "resolution.profiles": "linkage.pairwise.level_rates",
    "resolution.random_pairs": "linkage.pairwise.random_pairs",
    "resolution.rarity": "linkage.pairwise.term_frequency",
    "resolution.related": "linkage.pairwise.household",
    "resolution.resolver": "linkage.resolver",
    "resolution.result": "linkage.result",
    "resolution.settings": "linkage.settings",
    "resolution.statements": "linkage.supervision.pair_files",
    "resolution.training": "linkage.supervision.training",
    "resolution.turned": "linkage.entity.swapped_names",
    "scale.cluster": "scale.ray.distribute",
    "scale.crew": "scale.ray.pool",
    "scale.hands": "scale.ray.worker",
    "scale.joining": "scale.ray.connect",
    "scale.joins": "scale.moves",
    "scale.labels": "scale.ray.labels",
    "scale.rounds": "scale.ray.rounds",
    "scale.schemes": "scale.methods",
    "scale.shards": "scale.ray.shards",
}
"""Modules of version 0.1 that README or docs showed, with their packages, and their successors."""


class _Alias(Loader):
    """Loads the successor of a renamed module under the old name."""

    def __init__(self, new: str) -> None:
        self.new = new
        self.own: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(
            f"{spec.name} is now {self.new}; the old name will be removed in version 0.3",
            DeprecationWarning,
            stacklevel=2,
        )
        module = import_module(self.new)
        self.own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the successor its own spec back; it is already executed."""
        module.__spec__ = self.own


class _Finder(MetaPathFinder):
    """Finds modules by their names of version 0.1."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        new = RENAMED.get(fullname.removeprefix(ROOT)) if fullname.startswith(ROOT) else None
        return None if new is None else ModuleSpec(fullname, _Alias(ROOT + new))


def install() -> None:
    """Make imports of renamed modules load their successors."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        # before the path finder, which would load a second copy of a submodule
        sys.meta_path.insert(0, _Finder())
