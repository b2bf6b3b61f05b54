// It can shine.
E<> Lamp.bright

// Missing a formula.
A[] not
Lamp.off --> Lamp.bright
E<> Lamp.low;
