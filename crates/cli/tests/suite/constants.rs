//! `-D NAME=VALUE`, in every command.

use crate::common::{models, run_in, scratch};

#[test]
fn every_command_takes_other_values() {
    let folder = scratch("constants");
    std::fs::copy(models("").join("fischer.xta"), folder.join("m.xta")).unwrap();
    let run = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        run_in(&folder, &words).succeeds().to_owned()
    };
    let query = "A[]not(P(1).critical&&P(2).critical)";
    assert!(run(&format!("verify m.xta -D N=2 -q {query} --certificate c")).contains("satisfied"));
    assert!(run("certify m.xta c --define N=2").contains("proved"));
    run("verify m.xta -D N=2 -q E<>P(2).critical --trace-file t");
    assert!(run("replay m.xta t -D N=2").contains("ok"));
    assert!(run("check -D N=3 m.xta").contains("3 processes"));
    assert!(run("simulate m.xta -D N=1 --random 1").contains("P(1)"));
    run("convert m.xta -D N=7 -o seven.xta");
    assert!(std::fs::read_to_string(folder.join("seven.xta")).unwrap().contains("const int N = 7;"));
    assert!(!run("graph m.xta -D N=1 --states -o -").contains("P(2)"));
    run("graph m.xta -D K=1 -o g.svg");
    // All commands reject a value that does not fit.
    for words in
        ["verify m.xta -q E<>true", "check m.xta", "certify m.xta c", "convert m.xta -o x.xml", "graph m.xta -o x.svg"]
    {
        let words: Vec<&str> = words.split(' ').chain(["-D", "M=1"]).collect();
        run_in(&folder, &words).refuses("the model has no constant `M`");
    }
    run_in(&folder, &["check", "m.xta", "-D", "N"]).refuses("NAME=VALUE");
    assert!(!folder.join("x.xml").exists() && !folder.join("x.svg").exists());
}
