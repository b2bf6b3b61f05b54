// The error: two are inside.
E<> c == 2
