"""Driver: runs one chain through tuning and draws, within budgets, and records it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.kernel import EXAMINED, dump, load
from partita.walks.chain import SLICE, UNLIMITED, Chain, total_score
from partita.walks.checkpoint import Checkpoint
from partita.walks.record import ChainRecord
from partita.walks.schedule import Schedule

if TYPE_CHECKING:
    from partita.walks.run import Settings

__all__ = ["Driver", "round_steps"]

SETTLE = 0.01
"""A canopy has settled when a round accepts at most this many moves per mention."""

ROUNDS = 8
"""Rounds of a canopy in a search: this many, times 1 + log2 of its largest size."""


def round_steps(canopies: Any) -> int:
    """Steps of one round over all canopies: n (2 + log2 n) of a canopy of n mentions."""
    sizes = np.diff(canopies.start)
    sizes = sizes[sizes > 1]
    return int((sizes * (2 + np.log2(sizes).astype(np.int64))).sum())


class Driver:
    """Runs one chain: `tune` draws that are discarded, then `draws` that are recorded."""

    def __init__(
        self,
        number: int,
        chain: Chain,
        settings: Settings,
        temperatures: Schedule,
        checkpoint: Checkpoint | None,
        show: Callable[[int, float, dict[str, float]], None],
        watch: Callable[[int, Chain], bool | None] | None = None,
    ) -> None:
        self.number, self.chain, self.settings = number, chain, settings
        self.temperatures, self.checkpoint, self.show = temperatures, checkpoint, show
        self.watch = watch
        self.record = ChainRecord()
        self.tune = settings.tune if settings.mode == "posterior" else 0
        self.total = self.tune + settings.draws
        self.thin = settings.thin or self._default_thin()
        self.done = 0
        self.begun_at: float | None = None
        """The fraction of the run at which an unfinished draw began: it keeps its temperature."""
        self.pending = 0
        """Steps left of a draw in whose middle the chain was halted."""
        self.base, self.primed = 0.0, False
        self.measured = settings.measured or not chain.keeps_score
        self.kept_bytes = 0
        self.saved_draws = 0
        self.saved_at = time.monotonic()
        self.began = time.monotonic()
        chain.halted = self._halted

    def _default_thin(self) -> int:
        if self.settings.steps is not None:
            return math.ceil(self.settings.steps / self.total)
        return max(1, int(self.chain.space.sites(self.chain.state)))

    def prime(self) -> None:
        """Compile everything the course needs, without taking a step."""
        self.base = self._score() if self.measured else 0.0
        self.primed = True
        self.chain.compile()

    def _score(self, ramped: bool = True) -> float:
        chain = self.chain
        weights = chain.weights if ramped else chain.model.weights
        return total_score(chain.model, chain.estimator, chain.compiled, chain.state, weights)

    def run(self) -> ChainRecord:
        """Run to the last draw or the end of a budget; a saved chain resumes at its last step."""
        self.began = self.saved_at = time.monotonic()
        resumed = self._resume()
        if not resumed:
            # the score of a large state takes as long as thousands of steps
            if self.measured and not self.primed:
                self.base = self._score()
            self._keep_best(self.base if self.chain.ramp is None else self._score(ramped=False))
        if self.settings.sweep == "canopies" and self.settings.mode == "map":
            if self.done < self.total:
                self._search_canopies()
        else:
            self._draw_all()
        if self.settings.stop.is_set():
            self.record.stopped = "interrupted"
        if self.checkpoint is not None:
            self._save()
        return self._finished()

    def _draw_all(self) -> None:
        while self.done < self.total and not self._spent():
            if self.begun_at is None:
                self.begun_at = self._progress()
                self._climb()
            self.chain.tune(self.begun_at)
            if not self._advance(self.temperatures(self.begun_at)):
                continue
            self.begun_at = None
            self.done += 1
            if self.settings.mode == "posterior":
                self.chain.update_parameters()
            facts = self._facts()
            if self.done > self.tune:
                self._keep(facts)
            self.show(self.number, self._progress(), facts)
            if self.watch is not None and self.watch(self.number, self.chain):
                self.record.stopped = "watch"
            if self.checkpoint is not None and self._due():
                self._save()

    def _climb(self) -> None:
        """Raise the weights of a ramp; once they are the model's, scores are counted from here."""
        if self.chain.climb(self.done / max(1, self.tune)):
            self.base = self._score() - self.chain.score

    def _advance(self, temperature: float) -> bool:
        """Take the steps of one draw; whether they were all taken, or a budget allows no more."""
        steps, factors = self._limits()
        if self.settings.sweep == "canopies":
            rounds = max(1, round(self.thin / max(1, round_steps(self.chain.canopies))))
            plan = np.full(rounds, temperature)
            return self.chain.sweep(plan, -1.0, steps, factors) is not None
        left = min(self.pending or self.thin, steps - self.chain.steps)
        left -= self.chain.run(left, temperature, factors)
        self.pending = left if self._halted() else 0
        return not self.pending

    def _limits(self) -> tuple[int, int]:
        return self.settings.steps or UNLIMITED, self.settings.factors or UNLIMITED

    def _halted(self) -> bool:
        """Whether the user or the time budget ends the chain; checked within a draw, too."""
        seconds = self.settings.seconds
        late = seconds is not None and time.monotonic() - self.began >= seconds
        return late or self.settings.stop.is_set()

    def _search_canopies(self) -> None:
        """One pass: every canopy is cooled by itself, until it settles."""
        largest = int(np.diff(self.chain.canopies.start).max())
        rounds = math.ceil(ROUNDS * (1 + math.log2(max(2, largest))))
        plan = np.array([self.temperatures(k / max(1, rounds - 1)) for k in range(rounds)])
        settled = None
        while settled is None and not self._spent():
            steps, factors = self._limits()
            soon = min(steps, self.chain.steps + SLICE)
            settled = self.chain.sweep(plan, SETTLE, soon, factors)
            if self.checkpoint is not None and self._due():
                self._save()
        self.record.settled = settled or 0
        facts = self._facts()
        if settled is not None or self.checkpoint is None:
            # a resumed search repeats an unfinished canopy, so its state is not recorded
            self._keep(facts)
        self.show(self.number, 1.0, facts)
        if settled is not None:
            self.done = self.total

    def _spent(self) -> bool:
        settings, chain = self.settings, self.chain
        if settings.stop.is_set() or self.record.stopped:
            return True
        if settings.steps is not None and chain.steps >= settings.steps:
            self.record.stopped = "steps"
        elif settings.factors is not None and chain.examined >= settings.factors:
            self.record.stopped = "factors"
        elif self._halted():
            self.record.stopped = "seconds"
        return bool(self.record.stopped)

    def _progress(self) -> float:
        settings, chain = self.settings, self.chain
        shares = [self.done / self.total]
        if settings.steps is not None:
            shares.append(chain.steps / settings.steps)
        if settings.factors is not None:
            shares.append(chain.examined / settings.factors)
        if settings.seconds is not None:
            shares.append((time.monotonic() - self.began) / settings.seconds)
        return min(1.0, max(shares))

    def _facts(self) -> dict[str, float]:
        chain = self.chain
        score = self.base + chain.score if chain.keeps_score else self._score()
        return {"log_score": score, **chain.facts()}

    def _keep(self, facts: dict[str, float]) -> None:
        self.record.note(facts)
        if self.settings.record and self.settings.mode == "posterior":
            observed = self.chain.space.observe(self.chain.state)
            self.record.add_draw(observed, self.chain.parameters())
        self._keep_best(facts["log_score"])

    def _keep_best(self, score: float) -> None:
        if score > self.record.best_score:
            self.record.best_score = score
            self.record.best = self.chain.space.observe(self.chain.state)

    def _finished(self) -> ChainRecord:
        record, chain = self.record, self.chain
        record.steps, record.examined = chain.steps, chain.examined
        record.tally, record.state, record.weights = chain.tally, chain.state, chain.learned
        return record

    def _due(self) -> bool:
        return time.monotonic() - self.saved_at >= self.settings.checkpoint_every

    def _mutable(self) -> dict[str, Any]:
        """Arrays that change while the chain runs: state, caches, weights, counters."""
        chain = self.chain
        arrays = {f"state.{name}": array for name, array in dump(chain.state).items()}
        for k, (own, template) in enumerate(
            zip(chain.context.tables, chain.model.templates, strict=True)
        ):
            # held while ids are compared: a view that is freed leaves its id to another
            shared = dump(template.table)
            fixed = {id(array) for array in shared.values()}
            for name, array in dump(own).items():
                if id(array) not in fixed:
                    arrays[f"table{k}.{name}"] = array
        for name, array in dump(chain.learner_state).items():
            arrays[f"lesson.{name}"] = array  # prose: ok, a key of the file format
        arrays["weights"] = chain.weights
        arrays["tally"] = chain.tally
        arrays["place"] = chain.place
        arrays["best"] = self.record.best
        for name, values in self.record.traces.items():
            arrays[f"trace.{name}"] = np.array(values)
        return arrays

    def _save(self) -> None:
        assert self.checkpoint is not None
        chain, record = self.chain, self.record
        header = {
            "rng": json.loads(json.dumps(chain.rng.bit_generator.state)),
            "done": self.done,
            "pending": self.pending,
            "begun_at": self.begun_at,
            "steps": chain.steps,
            "examined": chain.examined,
            "settled": record.settled,
            "score": chain.score.hex(),
            "base": self.base.hex(),
            "best_score": float(record.best_score).hex(),
            "draws": len(record.draws),
        }
        rows = record.rows(self.saved_draws, self._row_type())
        self.kept_bytes = self.checkpoint.save(header, self._mutable(), rows, self.kept_bytes)
        self.saved_draws = len(record.draws)
        self.saved_at = time.monotonic()

    def _row_type(self) -> Any:
        return self.record.row_type(self.record.best.size, self.chain.parameters())

    def _resume(self) -> bool:
        saved = self.checkpoint.load() if self.checkpoint is not None else None
        if saved is None:
            return False
        assert self.checkpoint is not None
        header, arrays = saved
        chain, record = self.chain, self.record
        self._restore_arrays(arrays)
        chain.rng.bit_generator.state = header["rng"]
        chain.steps, chain.score = header["steps"], float.fromhex(header["score"])
        chain.context.status[EXAMINED] = header["examined"]
        self.done, self.base = header["done"], float.fromhex(header["base"])
        self.pending, self.begun_at = header["pending"], header["begun_at"]
        record.settled = header["settled"]
        record.best_score = float.fromhex(header["best_score"])
        record.best = arrays["best"]
        prefix = "trace."
        record.traces = {
            name.removeprefix(prefix): array.tolist()
            for name, array in arrays.items()
            if name.startswith(prefix)
        }
        self.kept_bytes = header["kept"]
        if header["draws"]:
            record.restore(self.checkpoint.rows(self.kept_bytes, self._row_type()))
        self.saved_draws = len(record.draws)
        return True

    def _restore_arrays(self, arrays: dict[str, Any]) -> None:
        chain = self.chain
        named = {n.removeprefix("state."): a for n, a in arrays.items() if n.startswith("state.")}
        chain.state = load(chain.state, named)
        tables = []
        for k, own in enumerate(chain.context.tables):
            prefix = f"table{k}."
            saved = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
            tables.append(load(own, saved))
        chain.context = chain.context._replace(tables=tuple(tables))
        chain.weights[:] = arrays["weights"]
        chain.tally[:] = arrays["tally"]
        chain.place[:] = arrays["place"]
        for name, array in dump(chain.learner_state).items():
            array[...] = arrays[f"lesson.{name}"]  # prose: ok
