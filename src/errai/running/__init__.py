"""What long runs share: how they are stopped and saved, and pools of worker processes."""
