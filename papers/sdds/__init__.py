"""SDDS: a smart-dumb/dumb-smart algorithm for split-merge MCMC (Wang and Russell 2015)."""
