"""Coreference of given mentions: documents, attributes, antecedents, the model of entities."""

__all__ = ()
