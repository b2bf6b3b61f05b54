A[] full1 + full2 + full3 + full4 == 1
A[] safe()
A[] not deadlock
// The item is in the third stage after four time units at the earliest.
E<> full3 == 1 && time <= 4
A[] full3 == 1 imply time >= 4
// A pulled brake keeps the item in the last stage for longer than a stage needs.
E<> full4 == 1 && full4_age > 5
