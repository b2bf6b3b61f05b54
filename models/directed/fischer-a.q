// The error: somebody has met another one inside.
E<> Obs.bad
