"""What requests cost, and when a change of the history pays. Pure; prices are data."""
