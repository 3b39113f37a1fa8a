"""Agents of Errai as clients of programs that play over the web: slumbot.com's, and GTO Wizard's research API."""
