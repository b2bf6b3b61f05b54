#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use syntax::{Format, Sources, read_model};
use verify::{Options, Verdict};

use super::*;
use crate::nets::NET_FAMILIES;

fn net(text: &str, format: Format) -> (Arc<Net>, bool) {
    let mut sources = Sources::new();
    let file = sources.add_file("net", text.to_owned());
    let (tree, problems) = read_model(&mut sources, file, format);
    assert!(problems.iter().all(|problem| !problem.is_error()), "{problems:?}\n{text}");
    let net = tree.net.clone().unwrap();
    let (mut model, _) = model::load(tree).unwrap();
    let file = sources.add_file("query", "E<> deadlock".to_owned());
    let query = syntax::read_queries(&sources, file, &mut model.tree).remove(0);
    let query = model.query(&query).unwrap();
    let (system, property) = model.system.with(&query);
    let answer = verify::answer(&system, &property, &Options::default(), &Default::default(), &mut ());
    (net, answer.verdict == Verdict::Satisfied)
}

#[test]
fn the_translations_have_the_same_deadlocks() {
    let race = "pl p1 [0,1] (1)\npl p2 [5,6] (1)\npl r (1)\npl q1\npl q2\ntr t1 p1 r -> q1\ntr t2 p2 r -> q2\ntr u q1 -> p1 r\n";
    let family = |name: &str, size: u32| (NET_FAMILIES.iter().find(|family| family.name == name).unwrap().text)(size);
    let mut dead = 0;
    for text in [race.to_owned(), family("philosophers", 2), family("pipeline", 3)] {
        let (original, expected) = net(&text, Format::Net);
        assert_eq!(net(&formats::tina(&original).unwrap(), Format::Net).1, expected, "{text}");
        assert_eq!(net(&formats::tapaal(&original).unwrap(), Format::NetXml).1, expected, "{text}");
        assert!(formats::romeo(&original).unwrap().contains("check EF[0, inf] ("));
        dead += usize::from(expected);
    }
    assert!(dead > 0 && dead < 3);
}

#[test]
fn a_net_that_tools_lack_arcs_for_is_refused() {
    let (inhibited, _) = net("pl p (1)\npl i [1,2] (1)\npl q\ntr t p i?-1 -> q\n", Format::Net);
    assert_eq!(formats::tina(&inhibited), Err(FormatError::Inhibitor("i".to_owned())));
    let (other, _) = net("pl p (1)\npl q\ntr t [1,2] p -> q\n", Format::Net);
    assert_eq!(formats::tapaal(&other), Err(FormatError::Timing));
}

#[test]
fn answers_are_read() {
    let digest = "# net n, 5 places, 4 transitions, 9 arcs #\n# bounded, not live #\n\
                  # abstraction        count      props      psets       dead       live #\n\
                  #      states           12          6          6          1          0 #\n\
                  # transitions           29          5          5          0          ? #\n";
    assert_eq!(read_tina(digest), Some((true, Some(12))));
    assert_eq!(read_tina(&digest.replace("1          0 #", "0         12 #")), Some((false, Some(12))));
    assert_eq!(read_tina("syntax error\n"), None);
    assert_eq!(read_romeo("Checking ...\n\ntrue\n"), Some((true, None)));
    assert_eq!(read_romeo("false\n"), Some((false, None)));
    assert_eq!(read_romeo("error\n"), None);
    let said = "Query is NOT satisfied.\n  discovered markings:\t9\n  explored markings:\t7\n";
    assert_eq!(read_tapaal(said), Some((false, Some(7))));
    let most = "Max number of tokens found in any reachable marking: ";
    assert_eq!(read_tapaal(&format!("{said}{most}3\n")), Some((false, Some(7))));
    assert_eq!(read_tapaal(&format!("{said}{most}>3\n")), None);
    assert_eq!(read_tapaal("Query is satisfied.\n"), Some((true, None)));
    assert_eq!(read_tapaal("Error parsing\n"), None);
}

#[cfg(unix)]
#[test]
fn programs_are_run_and_stopped() {
    use std::os::unix::fs::PermissionsExt;

    let folder = ScratchFolder::new().unwrap();
    let program = |script: &str| {
        let path = folder.0.join("tool");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let (two, _) = net("pl p [1,2] (1)\npl q\ntr t p -> q\n", Format::Net);
    let never = AtomicBool::new(false);
    let ask = |tool: &NetTool, script: &str, limit| tool.ask(&program(script), &two, limit, &never);
    let [tina, romeo, verifytapn, _] = &NET_TOOLS;
    // The net is on the standard input.
    let counts = "echo '# abstraction count dead #'; echo \"# states $(grep -c matures) 1 #\"";
    let found = ask(tina, counts, None).unwrap();
    assert_eq!((found.deadlock, found.states), (true, Some(1)));
    // The files are the last arguments.
    let found = ask(romeo, "grep -q 'check EF' \"$2\" && echo true", None).unwrap();
    assert!(found.deadlock);
    let found = ask(
        verifytapn,
        "test \"$1 $2\" = '-k 2' && grep -q p_waits \"$3\" && grep -q 'EF deadlock' \"$4\" && echo 'Query is NOT satisfied.'",
        None,
    );
    assert!(!found.unwrap().deadlock);
    let wrong = ask(verifytapn, "echo 'no such option' >&2; exit 1", None).unwrap_err();
    assert_eq!(wrong.to_string(), "gave no answer; it said: no such option");
    let slow = ask(tina, "exec sleep 1000", Some(Duration::from_millis(300))).unwrap_err();
    assert!(matches!(slow, ToolError::Child(ChildError::TimeLimit)), "{slow}");
}
