// The error: the first and the last client have the token at once.
E<> Client(FIRST).using && Client(LAST).using
