// A cell is in the region only with its arbiter's consent.
A[] forall (i : id_t) (Cell(i).critical imply Arbiter(i).granted)
// The counter goes on while a cell is inside, so that another one can follow it.
E<> Cell(1).critical && Cell(2).critical
// A cell may be too slow, but need not.
E<> Cell(1).failed
E<> forall (i : id_t) Cell(i).done
