// No two users work at the same time.
A[] forall (i : id_t) forall (j : id_t) (User(i).Working && User(j).Working imply i == j)
// Nobody is refused in the middle of the work.
A[] forall (i : id_t) !User(i).Refused
// Work can be refused before that.
E<> User(0).Idle && users.mustLack(0)
