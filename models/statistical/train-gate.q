// The slowest train crosses.
Pr[<=100](<> Train(0).Cross)
