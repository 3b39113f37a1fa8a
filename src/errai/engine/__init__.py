"""The engine: schedules, the solve loop and its seams."""
