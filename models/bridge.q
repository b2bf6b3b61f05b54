// All can be over within 60 minutes.
E<> time <= 60 && forall (i : soldier_t) Soldier(i).there
// Nobody is faster.
A[] (forall (i : soldier_t) Soldier(i).there) imply time >= 60
