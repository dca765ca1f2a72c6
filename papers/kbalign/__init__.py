"""KBALIGN: coreference with candidates of a knowledge base, on stand-ins for ACE 2004."""
