// Nobody is inside together with somebody else.
A[] forall (i : id_t) forall (j : id_t) (Process(i).inside && Process(j).inside imply i == j)
// Everybody can get in, and the last one to write wins.
E<> Process(N).inside && lock == N
// Two may write at the same time.
E<> Process(1).writing && Process(2).writing
