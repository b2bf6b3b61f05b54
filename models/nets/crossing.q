// The gate is closed whenever a train is on the crossing.
A[] inside == 1 imply closed == 1
A[] safe()
A[] not deadlock
// A train can come while the gate still opens.
E<> announced == 1 && raising == 1
