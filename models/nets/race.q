// The second never wins.
A[] q2 == 0
// The first always does, and soon.
A<> q1 == 1
A[] time > 1 imply q1 == 1
A[] safe()
