"""llama.cpp's own server, driven as an editor's plugin drives it, beside ours in the same run."""
