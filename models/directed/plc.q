// The error: both cranes move.
E<> EastCrane.moving && WestCrane.moving
