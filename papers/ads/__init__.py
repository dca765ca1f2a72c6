"""ADS: minimally-supervised extraction of entities from text advertisements.

The ads of the paper are private to Yahoo, so no table of the paper is reproduced. The paper's
claims are tested on stand-in data: hotel posts (bft) and US addresses (addresses_us).
"""
