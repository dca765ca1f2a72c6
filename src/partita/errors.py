"""Everything Partita raises on purpose; each message names the value and the remedy."""

__all__ = ["CheckpointError", "InputError", "ModeError", "ModelError", "PartitaError"]


class PartitaError(Exception):
    """Base of all errors that a user can act on."""


class InputError(PartitaError, ValueError):
    """A value handed to Partita is out of range, of the wrong shape or not finite."""


class ModelError(PartitaError, ValueError):
    """A model, a user's function or a weight cannot be used as it stands."""


class ModeError(PartitaError, RuntimeError):
    """A question that this kind of run cannot answer, such as marginals after a MAP search."""


class CheckpointError(PartitaError, RuntimeError):
    """A checkpoint is damaged, or belongs to another model, version or seed."""
