"""The model manager as a policy: a small model decides, and without its word the default does."""

from statetape.manager.model import Managed
from statetape.manager.skilled import skilled
from statetape.policies.default import default

model = Managed(default, skilled())
