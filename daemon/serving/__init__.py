"""The process: its life, its local socket, and what all its clients share."""
