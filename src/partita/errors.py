"""Errors and warnings of Partita; each message names the value and the next step."""

__all__ = [
    "CheckpointError",
    "EmptyInputError",
    "InputError",
    "ModeError",
    "ModelError",
    "PartitaError",
    "PartitaWarning",
]


class PartitaError(Exception):
    """Base of all errors that a user can act on."""


class InputError(PartitaError, ValueError):
    """A value passed to Partita is out of range, of the wrong shape or not finite."""


class EmptyInputError(InputError):
    """A file or table has no records."""


class ModelError(PartitaError, ValueError):
    """A model, a user's function or a weight is not usable."""


class ModeError(PartitaError, RuntimeError):
    """A run does not have the requested result, such as marginals after a MAP search."""


class CheckpointError(PartitaError, RuntimeError):
    """A checkpoint is damaged, or belongs to another model, version or seed."""


class PartitaWarning(UserWarning):
    """A run finished, but its result may be less good than the user expects."""
