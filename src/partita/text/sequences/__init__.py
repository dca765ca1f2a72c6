"""Linear-chain models: exact inference, exact learners, and SampleRank on the same features."""

from partita.text.sequences.constrained import constraint_driven, train_labelled
from partita.text.sequences.encoding import Encoder, Sequences, Task, columns, encoded, take
from partita.text.sequences.likelihood import maximum_likelihood
from partita.text.sequences.margin import structured_perceptron, structured_svm
from partita.text.sequences.samplerank import samplerank
from partita.text.sequences.spans import SpanScore, iob2, iobes, span_score, spans
from partita.text.sequences.tagger import Tagger

__all__ = [
    "Encoder",
    "Sequences",
    "SpanScore",
    "Tagger",
    "Task",
    "columns",
    "constraint_driven",
    "encoded",
    "iob2",
    "iobes",
    "maximum_likelihood",
    "samplerank",
    "span_score",
    "spans",
    "structured_perceptron",
    "structured_svm",
    "take",
    "train_labelled",
]
