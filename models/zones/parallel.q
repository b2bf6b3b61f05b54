// One process holds the lock.
A[] forall (i : id_t) forall (j : id_t) (Process(i).holding && Process(j).holding imply i == j)
// Everybody can get it.
E<> Process(N).holding
A[] (exists (i : id_t) Process(i).holding) imply Lock.closed
