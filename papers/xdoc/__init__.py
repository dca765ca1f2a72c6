"""The experiments of XDOC: John Smith and Person-X, flat and with sub- and super-entities."""
