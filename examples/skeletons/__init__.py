"""Copy-me skeletons, one for each thing that can be added; the law suite runs them all."""
