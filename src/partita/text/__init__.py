"""Text: sequence models, extraction and coreference."""

__all__ = ()
