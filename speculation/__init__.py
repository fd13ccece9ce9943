"""The contract between the two ends of speculative decoding.

Everything here must be agreed on bit for bit by the daemon (which drafts) and the verifier (which accepts):
wire messages and their codec, epochs and path hashes, the shared randomness, distributions, and acceptance.
It knows no sockets, no clocks, no files and no models.
"""
