// Only a query reads this variable.
E<> Main.asked == 1
