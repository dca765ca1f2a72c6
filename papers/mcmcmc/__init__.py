"""Monte Carlo MCMC: Efficient Inference by Approximate Sampling (Singh, Wick, McCallum 2012)."""
