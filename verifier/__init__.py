"""The verifier: a target model served over a websocket, which says which draft tokens stand.

In the order of the data path: `server` lets a client in, `connection` turns its frames into events, `session` (pure)
turns events into rounds, `scheduler` batches the rounds of all sessions into steps, `torch_engine` runs a step as one
forward of `model/`, `decide` (pure) says what the target's logits mean, and the verdicts go back the same way.
`service` puts it together, `cli` is the command.
"""
