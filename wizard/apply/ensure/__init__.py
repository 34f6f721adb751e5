"""Make drives match a request: find the differences here; the engine applies them."""
