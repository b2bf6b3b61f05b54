// The goal: the end of the chain.
E<> Chain.at == N
