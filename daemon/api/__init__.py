"""The daemon's local interface: everything an editor bridge or the command may import of the daemon."""
