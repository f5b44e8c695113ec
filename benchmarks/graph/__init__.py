"""The code graph against call graphs that others have written down by hand.

`python -m benchmarks.graph CORPORA` prints precision, recall and F1 for each benchmark that lies in
the folder, for this graph and, in the same run, for other tools on the same files.
"""
