// The goal: the signal has passed all.
E<> First.goal && (forall (i : int[2,N-1]) Next(i).goal) && Last.goal
