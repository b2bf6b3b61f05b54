// Neighbours never eat together.
A[] forall (i : id_t) !(Philosopher(i).eating && Philosopher(i % N + 1).eating)
// All can be hungry at once; patience ends that.
E<> forall (i : id_t) Philosopher(i).hungry
A[] not deadlock
// Everybody can eat.
E<> Philosopher(N).eating
