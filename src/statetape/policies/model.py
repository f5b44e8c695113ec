"""The model manager as a policy: a small model decides, and without its word the heuristic one."""

from statetape.manager.model import Managed
from statetape.manager.skilled import skilled
from statetape.policies.heuristic import heuristic

model = Managed(heuristic, skilled())
