"""What long runs share: how they are stopped, and the processes that they start."""
