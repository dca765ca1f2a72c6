"""PyKEEN: ComplEx on all entities as candidates (LCWA), with cross entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.facts.answers import Answers, Graph

__all__ = ["load", "run"]


def load() -> str:
    """Import the tool; returns its version."""
    import pykeen.models
    import pykeen.training
    import pykeen.triples
    import pykeen.version

    return str(pykeen.version.VERSION)


def run(request: dict[str, Any]) -> Answers:
    """Fit the training facts and score the queries."""
    import torch

    torch.set_num_threads(request["threads"])
    graph = Graph.read(request["path"])
    model = _fit(graph, request["settings"], request["seed"])
    queries = torch.as_tensor(graph.queries)
    with torch.no_grad():
        scores = model.predict_t(queries[:, :2]), model.predict_h(queries[:, 1:])
    values = np.array([part.numpy() for part in scores], np.float32)
    return Answers(values, {"torch": torch.__version__})


def _fit(graph: Graph, settings: dict[str, Any], seed: int) -> Any:
    """Fit one configuration; `start` is the standard deviation of the first coordinates."""
    from functools import partial

    import torch
    from pykeen.models import ComplEx
    from pykeen.training import LCWATrainingLoop
    from pykeen.triples import CoreTriplesFactory

    factory = CoreTriplesFactory(
        torch.as_tensor(graph.train),
        graph.entities,
        graph.relations,
        create_inverse_triples=settings["inverse"],
    )
    start = partial(torch.nn.init.normal_, std=settings["start"])
    penalty = settings["penalty"]
    model = ComplEx(
        triples_factory=factory,
        embedding_dim=settings["rank"],
        entity_initializer=start,
        relation_initializer=start,
        regularizer="powersum" if penalty else None,
        regularizer_kwargs={"p": 3.0, "weight": penalty} if penalty else None,
        loss="crossentropy",
        random_seed=seed,
    )
    optimiser = getattr(torch.optim, settings["optimiser"])(
        model.get_grad_params(), lr=settings["rate"]
    )
    loop = LCWATrainingLoop(model=model, triples_factory=factory, optimizer=optimiser)
    loop.train(
        triples_factory=factory,
        num_epochs=settings["epochs"],
        batch_size=settings["batch"],
        label_smoothing=settings["smoothing"],
        use_tqdm=False,
    )
    return model.eval()
