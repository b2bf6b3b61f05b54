// The first process enters early.
Pr[<=20](<> P(1).critical)
