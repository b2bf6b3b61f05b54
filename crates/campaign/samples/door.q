E<> Door.open and n == 2
A[] Door.open imply x == 0
E<> deadlock
