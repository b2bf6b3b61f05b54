// The longest time until the end is near: behind every comparison it goes on or ends at once.
sup{Search.Compare}: time
// It never takes longer.
A[] Search.Compare imply time <= 75
