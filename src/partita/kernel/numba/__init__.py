"""The compiler behind kernels: options, cache and stored machine code.

The cache holds one file per entry and signature. A file is a SHA-256 digest followed by a pickle in
Numba's own format (machine code, types, environment), which has no other serialisation. Loading a
pickle can run code, and the digest has no secret: it detects damage and a file under a wrong key,
not a forger. Trust therefore rests on file permissions alone: the folder is created with mode 0700
in the user's cache directory, and a folder that is writable for all users is neither read nor
written (`store._is_trusted`). A process with write access to it can run code as the user.
PARTITA_PLAIN_NUMBA=1 switches the cache off. No other file that Partita reads is a pickle; Ray
sends objects to its workers in a format of its own, which is one.
"""

__all__ = ()
