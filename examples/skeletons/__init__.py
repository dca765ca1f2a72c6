"""Skeletons to copy, one for each extension; the law suite runs them all."""
