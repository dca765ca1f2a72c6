"""Labelled sets that other packages carry: none of them was in view while the rules were chosen."""
