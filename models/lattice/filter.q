// The longest time.
sup: cost
// The same as a property.
A[] cost <= 111
// The cheapest way to the end is to sample one channel in all rounds.
E<> Filter.Done && cost < 70
