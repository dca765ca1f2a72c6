"""Speed of the engine, measured on this machine."""
