E<> together == 2
