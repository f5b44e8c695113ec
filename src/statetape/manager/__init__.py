"""The model manager (paper §3.3.3): prompt, answer, plan."""
