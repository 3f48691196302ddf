"""Checks the oracles themselves, against implementations that share nothing with them."""
