"""The target model: configuration, weights, decoder, KV cache and vocabulary of the Llama family in torch."""
