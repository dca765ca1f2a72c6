"""Methods whose workers are killed, or run out of disk, once in each phase; made in the workers."""

import errno
import os
import signal
from dataclasses import replace
from pathlib import Path

import partita.scale.ray.shards as shards
import partita.scale.ray.worker as worker
from partita.scale import dirichlet_entities
from tests.scale.cases import CONCENTRATION


def plain(words):
    return dirichlet_entities(words, CONCENTRATION)


def once(flag):
    """Whether this process is the first to create the flag."""
    try:
        Path(flag).open("x").close()
    except FileExistsError:
        return False
    return True


def dying(words, folder):
    """The worker is killed once in each phase."""

    def killed(phase):
        if once(f"{folder}/{phase}"):
            os.kill(os.getpid(), signal.SIGKILL)

    def before(name):
        inner = getattr(worker, name)

        def outer(*given):
            killed(name)
            return inner(*given)

        setattr(worker, name, outer)

    def model(chunk):
        killed("search")
        return method.model(chunk)

    killed("start")
    for name in ("summarise_canopy", "split_by_piece", "merge_parts", "write_labels"):
        before(name)
    method = plain(words)
    return replace(method, model=model)


def full(words, flag):
    """The disk is full when the third file is written, once."""
    inner, written = shards.pq.write_table, []

    def write(table, where, **options):
        written.append(where)
        if len(written) == 3 and once(flag):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        inner(table, where, **options)

    shards.pq.write_table = write
    return plain(words)
