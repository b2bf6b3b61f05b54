// Only one train crosses at a time.
A[] forall (i : train_t) forall (j : train_t) (Train(i).Cross && Train(j).Cross imply i == j)
// The gate's queue never overflows.
A[] Gate.waiting <= N
// Every train can cross while another one waits.
E<> Train(0).Cross && Train(1).Stop
// A train that approaches crosses some day.
Train(0).Appr --> Train(0).Cross
A[] not deadlock
