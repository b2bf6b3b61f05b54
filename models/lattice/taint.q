E<> Program.Leaked
E<> Program.Published && data.foreign
A[] not (Program.Published && data.secret)
