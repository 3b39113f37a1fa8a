"""What long runs share: how they are stopped, and pools of worker processes."""
