"""Small models over HTTP: endpoints, calls under a deadline, and a cache of their replies."""
