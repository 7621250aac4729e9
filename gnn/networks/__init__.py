"""Both networks: attention, retriever, reranker, and what computes them (torch, numpy, ONNX)."""
