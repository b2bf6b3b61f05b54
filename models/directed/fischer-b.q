// The error: the first two are inside together.
E<> P(1).cs && P(2).cs
