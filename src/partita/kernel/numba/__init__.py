"""The compiler behind kernels: options, cache and stored machine code."""

__all__ = ()
