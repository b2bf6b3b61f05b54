// Two processes are never in the critical section together.
A[] forall (i : pid_t) forall (j : pid_t) (P(i).critical && P(j).critical imply i == j)
// The system can always go on.
A[] not deadlock
// All but one can wait while one is in.
E<> exists (i : pid_t) (P(i).critical && forall (j : pid_t) (j == i || P(j).waiting))
