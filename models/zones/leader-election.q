// There is one leader at most.
A[] forall (i : id_t) forall (j : id_t) (Candidate(i).leading && Candidate(j).leading imply i == j)
// Nobody hurries the candidates.
E<> Watch.late
// A candidate that is read does not read itself.
A[] forall (i : id_t) (Candidate(i).reading imply !Candidate((i + N - 2) % N + 1).reading)
