// Nobody gets in with less than the policy asks for.
A[] forall (i : id_t) (User(i).inside imply User(i).collected >= User(i).policy)
// All can be inside at once.
E<> forall (i : id_t) User(i).inside
// Whoever is too slow stays outside.
E<> User(1).asking && User(1).policy == 2 && User(1).total > LIMIT
