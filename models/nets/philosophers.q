// Two neighbours never eat together, and all are neighbours.
A[] eat1 + eat2 + eat3 <= 1
A[] safe()
// All may wait for each other.
E<> deadlock
E<> hold1 == 1 && hold2 == 1 && hold3 == 1 && time <= 1
