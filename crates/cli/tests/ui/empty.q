// Nothing to ask.
