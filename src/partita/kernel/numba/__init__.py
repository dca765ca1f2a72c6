"""The compiler behind kernels: options, cache and stored machine code.

The cache holds one file per entry and signature. A file is an HMAC followed by a pickle in Numba's
own format (machine code, types, environment), which has no other serialisation. Loading a pickle
can run code, so only files of the effective user are loaded. On POSIX systems the user owns folder
and file, neither the group nor others can write to them, and no other user but root owns a folder
above. The key of the HMAC is in the folder with mode 0600. Otherwise the files are neither read nor
written, and a warning names the reason (`store._is_trusted`). A process with the rights of the user
can still replace key and files. PARTITA_PLAIN_NUMBA=1 switches the cache off. No other file that
Partita reads is a pickle; Ray sends objects to its workers in a format of its own, which is one.
"""

__all__ = ()
