// The goal: the whole tower stands on the right.
E<> forall (d : disc_t) Disc(d).right
