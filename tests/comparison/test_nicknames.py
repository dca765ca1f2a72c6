from partita.comparison.nicknames import FORMS, formal_names, related


def test_short_forms_meet_their_name_and_one_another():
    assert related("bill", "william")
    assert related("liz", "betty")
    assert related("katherine", "catherine")


def test_other_names_do_not_meet():
    assert not related("bill", "robert")
    assert not related("zorro", "zorro"), "a name outside the table is related to nothing"


def test_a_short_form_can_stand_for_several_names():
    assert related("alex", "alexander")
    assert related("alex", "alexandra")
    assert not related("xander", "lexie")


def test_the_table_is_clean():
    lines = [line for line in FORMS.split("\n") if line]
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert all(name.isascii() and name.islower() for name in formal_names())
    assert sum(len(line.split()) - 1 for line in lines) > 300
    assert max(map(len, formal_names().values())) <= 6, "names.MOST_FORMS keeps no more"
