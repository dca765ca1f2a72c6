"""Linear chains: exact inference, exact learners, and SampleRank on the same features."""

from partita.chains.likelihood import maximum_likelihood
from partita.chains.margin import structured_perceptron, structured_svm
from partita.chains.samplerank import samplerank
from partita.chains.sequences import Encoder, Sequences, Task, columns, encoded
from partita.chains.spans import SpanScore, iob2, iobes, span_score, spans
from partita.chains.tagger import Tagger

__all__ = [
    "Encoder",
    "Sequences",
    "SpanScore",
    "Tagger",
    "Task",
    "columns",
    "encoded",
    "iob2",
    "iobes",
    "maximum_likelihood",
    "samplerank",
    "span_score",
    "spans",
    "structured_perceptron",
    "structured_svm",
]
