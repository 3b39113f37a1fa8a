"""The engine: schedules, the solve loop, and its interfaces to what is above and below a tree."""
