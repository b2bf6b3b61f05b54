// Only one train crosses at a time.
A[] forall (i : id_t) forall (j : id_t) (Train(i).crossing && Train(j).crossing imply i == j)
// All trains but one can be waiting.
E<> Train(1).crossing && forall (i : int[2,N]) Train(i).stopped
// Every train can cross.
E<> Train(N).crossing
