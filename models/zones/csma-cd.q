// Two stations send at once only as long as neither can know of the other.
A[] forall (i : id_t) forall (j : id_t) (i != j && Station(i).sending && Station(j).sending imply Station(i).x < 2 * SIGMA)
// That happens.
E<> Station(1).sending && Station(2).sending
// A station can come to the end of what it sends.
E<> Station(N).sending && Station(N).x == SEND
