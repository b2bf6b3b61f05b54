E<> first.inside && second.inside
