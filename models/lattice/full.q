// The database is never full.
A[] !Database.Full
