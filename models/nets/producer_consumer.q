// Places in the buffer are free, full, or their item is being consumed.
A[] free + full + busy == 3
A[] bounded(3)
A[] not deadlock
// A slow consumer lets the buffer fill up, but not at once.
E<> full == 3
A[] full == 3 imply time >= 6
