"""The model manager as a policy: a small model decides, and without its word the default does."""

from statetape.manager.model import managed
from statetape.policies.default import default

model = managed(default)
