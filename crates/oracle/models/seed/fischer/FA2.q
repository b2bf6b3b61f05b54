E<> Watch.loud
