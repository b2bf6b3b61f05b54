// The queue never overflows and never holds a task twice.
A[] forall (i : task_t) forall (j : task_t) (i < j && j < ready.length imply ready.item[i] != ready.item[j])
// Only one task runs.
A[] (sum (t : task_t) Task(t).running) <= 1
// Everything can be finished.
E<> forall (t : task_t) Task(t).finished
