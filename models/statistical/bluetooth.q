// All receivers have answered.
Pr[<=10000](<> found == N)
