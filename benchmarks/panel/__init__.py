"""The panel: twenty labelled sets of eight domains, resolved with zero configuration."""
