"""Public benchmarks as they were published, brought into the project's data format."""
