// The longest time, wherever what is searched for may be.
sup: cost
// The same as a property: with joins it stays true, for they only make the bound greater.
A[] cost <= 75
