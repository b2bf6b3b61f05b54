// Only the agent with the greatest number becomes the leader.
A[] forall (i : id_t) (Agent(i).Leader imply i == N - 1)
// It can.
E<> Agent(N-1).Leader
