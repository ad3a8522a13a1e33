"""Cloud functions between any client and the RPCs: they hold the provider keys."""
