// Two processes are never in the critical section together.
A[] forall (i : pid_t) forall (j : pid_t) (P(i).critical && P(j).critical imply i == j)
// The system can always go on.
A[] not deadlock
// Each process can get in.
E<> P(1).critical
