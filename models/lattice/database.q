// No two users work at the same time.
A[] forall (i : id_t) forall (j : id_t) (User(i).Working && User(j).Working imply i == j)
// They all may have worked, though.
E<> forall (i : id_t) User(i).Worked
