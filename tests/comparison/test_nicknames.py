from partita.comparison.nicknames import FORMS, are_forms_of_one_name, formal_names


def test_short_forms_meet_their_name_and_one_another():
    assert are_forms_of_one_name("bill", "william")
    assert are_forms_of_one_name("liz", "betty")
    assert are_forms_of_one_name("katherine", "catherine")


def test_other_names_do_not_meet():
    assert not are_forms_of_one_name("bill", "robert")
    assert not are_forms_of_one_name("zorro", "zorro"), (
        "a name outside the table is are_forms_of_one_name to nothing"
    )


def test_a_short_form_can_stand_for_several_names():
    assert are_forms_of_one_name("alex", "alexander")
    assert are_forms_of_one_name("alex", "alexandra")
    assert not are_forms_of_one_name("xander", "lexie")


def test_the_table_is_clean():
    lines = [line for line in FORMS.split("\n") if line]
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert all(name.isascii() and name.islower() for name in formal_names())
    assert sum(len(line.split()) - 1 for line in lines) > 300
    assert max(map(len, formal_names().values())) <= 6, "names.MOST_FORMS keeps no more"
