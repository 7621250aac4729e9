"""How well the graph knows real APIs, against labels that were written before the code.

`labels/` holds four kinds (effects, edges, request fields, multi-step requests), each in three
parts: `dev` may be read while rules are written, `test` is only scored, and `extra` is of APIs that
the rules were not written for.
"""
