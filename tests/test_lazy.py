"""Old names of renamed objects warn and return the new object."""

import pytest

import partita.kernel
import partita.proposals
import partita.scale


@pytest.mark.parametrize(
    ("package", "old", "new"),
    [
        (partita.kernel, "World", "Context"),
        (partita.proposals, "rival_label", "metropolised_gibbs_label"),
        (partita.scale, "Scheme", "Method"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_old_names_warn_and_return_the_new_object(package, old, new):
    with pytest.warns(DeprecationWarning, match=f"{old} is now {new}"):
        assert getattr(package, old) is getattr(package, new)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name
