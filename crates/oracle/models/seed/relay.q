E<> Relay.home
