// One station at a time sends more than it must.
A[] forall (i : id_t) forall (j : id_t) (Station(i).extra_odd && Station(j).extra_odd imply i == j)
// The token can be early, and it can be late.
E<> Station(N).extra_odd
E<> Station(N).late_even
// A station waits for the token no longer than twice the target time.
A[] forall (i : id_t) (Station(i).before_even imply Station(i).visit <= 2 * TTRT)
