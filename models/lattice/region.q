E<> Robot.Located && position.low == 6
E<> Robot.Lost
A[] position.low <= position.high
