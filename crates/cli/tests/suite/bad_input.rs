//! Merkhet rejects unusable input with exit status 3: in bounded time, with bounded output, and
//! without a panic.

use std::{
    fs,
    fs::File,
    path::{Path, PathBuf},
};

use crate::common::{Run, run_in, run_with, scratch};

/// Checks a file with these bytes.
fn check(name: &str, bytes: impl AsRef<[u8]>) -> Run {
    let folder = scratch(&format!("bad-{name}"));
    fs::write(folder.join(name), bytes).unwrap();
    run_in(&folder, &["check", name])
}

/// An XML model with one edge that has this guard.
fn guarded(guard: &str) -> String {
    format!(
        "<nta><declaration>clock x;</declaration><template><name>P</name><location id=\"a\"/><init ref=\"a\"/>\
         <transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">{guard}</label></transition>\
         </template><system>system P;</system></nta>"
    )
}

#[test]
fn truncated_xml_at_every_length() {
    let folder = scratch("bad-truncated");
    let whole = fs::read(crate::common::ui().join("lamp.xml")).unwrap();
    let end = whole.len() - "</nta>\n".len();
    // All truncations in one run: one process for each would take longer than all other tests
    // together.
    let names: Vec<String> = (0..end).step_by(7).map(|length| format!("{length}.xml")).collect();
    for (name, length) in names.iter().zip((0..end).step_by(7)) {
        fs::write(folder.join(name), &whole[..length]).unwrap();
    }
    let mut args = vec!["check", "--format", "json"];
    args.extend(names.iter().map(String::as_str));
    let run = run_in(&folder, &args);
    assert_eq!(run.status, 3);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    for file in report["files"].as_array().unwrap() {
        assert_eq!(file["valid"], false, "{file}");
    }
}

#[test]
fn ill_formed_xml() {
    check("open.xml", "<nta><template></nta>").refuses("error[xml]");
    check("second.xml", "<nta/><nta/>").refuses("second root element");
    check("other.xml", "<svg></svg>").refuses("the root element is <svg>");
    check("text.xml", "hello").refuses("error[xml]");
    check("deep.xml", "<nta>".repeat(100_000)).refuses("nested too deeply");
    check("attributes.xml", "<nta a=\"1\" a=\"2\"></nta>").refuses("error[xml]");
    check("reference.xml", "<nta><declaration>&#xFFFFFF;</declaration></nta>").refuses("character reference");
}

#[test]
fn entities_are_neither_fetched_nor_expanded() {
    let external =
        "<!DOCTYPE nta [<!ENTITY e SYSTEM \"file:///etc/hostname\">]><nta><declaration>&e;</declaration></nta>";
    check("external.xml", external).refuses("unknown entity `&e;`");
    let laughs = "<!DOCTYPE nta [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><nta><declaration>&b;</declaration></nta>";
    check("laughs.xml", laughs).refuses("unknown entity `&b;`");
}

#[test]
fn bytes_that_are_not_text() {
    check("binary.xml", b"\x7fELF\x02\x01\x01\0\0\0").refuses("not a text file");
    check("latin.xta", b"clock x; // caf\xe9\nsystem P;").refuses("not valid UTF-8");
    check("half.xta", b"\xff\xfe\x00\xd8").refuses("not valid UTF-16");
}

#[test]
fn empty_files() {
    check("empty.xml", "").refuses("no elements");
    check("empty.xta", "").refuses("no `system` line");
    check("blank.ta", "\n\n  \n").refuses("no `system` line");
    run_with(b"", &["check", "-"]).refuses("no `system` line");
}

#[test]
fn files_that_are_too_large() {
    let folder = scratch("bad-large");
    // A sparse file, which takes no space on the disk.
    File::create(folder.join("large.xml")).unwrap().set_len(100 << 20).unwrap();
    run_in(&folder, &["check", "large.xml"]).refuses("with 100 MiB it is larger than 64 MiB");
    run_in(&folder, &["convert", "large.xml", "-o", "out.xml"]).refuses("larger than 64 MiB");
    run_in(&folder, &["check", "large.xml", "--queries", "large.xml"]).refuses("2 errors");
    assert!(!folder.join("out.xml").exists());
    run_with(&vec![b' '; (64 << 20) + 1], &["check", "-"]).refuses("can't read `<stdin>`: it is larger than 64 MiB");
}

#[test]
fn paths_that_are_not_files() {
    let folder = scratch("bad-paths");
    run_in(&folder, &["check", "missing.xml"]).refuses("can't read `missing.xml`");
    run_in(&folder, &["check", "."]).refuses("it is a directory");
    run_in(&folder, &["check", ""]).refuses("a value is required");
    fs::write(folder.join("a.xml"), "<nta/>").unwrap();
    run_in(&folder, &["check", "a.xml/b.xml"]).refuses("can't read `a.xml/b.xml`");
    run_in(&folder, &["check", "-", "-"]).refuses("only once");
}

#[cfg(unix)]
#[test]
fn files_without_permission_and_with_odd_names() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, os::unix::fs::PermissionsExt};
    let folder = scratch("bad-unix");
    let secret = folder.join("secret.xml");
    fs::write(&secret, "<nta/>").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read it, and then finds no system in it.
    let run = run_in(&folder, &["check", "secret.xml"]);
    assert!(run.out.contains("Permission denied") || run.out.contains("no `system` line"), "{run:?}");
    let odd = OsStr::from_bytes(b"\xff\x1b[31m\n.xml");
    let run = run_in(&folder, &[OsStr::new("check"), odd]);
    run.refuses("can't read");
    assert!(!run.out.contains('\x1b'), "{run:?}");
    run_in(&folder, &["check", "/dev/zero"]).refuses("larger than 64 MiB");
}

#[test]
fn a_million_nested_parentheses() {
    let deep = format!("{}x{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
    check("deep.xta", format!("clock x; process P() {{ state a {{ {deep} < 1 }}; init a; }} system P;"))
        .refuses("error[too-deep]");
    check("deep-guard.xml", guarded(&format!("{deep} &lt; 1"))).refuses("error[too-deep]");
    let folder = scratch("bad-deep-query");
    fs::write(folder.join("deep.q"), format!("E<> {deep}")).unwrap();
    fs::copy(crate::common::ui().join("lamp.xta"), folder.join("lamp.xta")).unwrap();
    run_in(&folder, &["check", "lamp.xta", "--queries", "deep.q"]).refuses("error[too-deep]");
}

#[test]
fn a_million_other_things() {
    // A thousand and one of them, and a note that more are left out.
    check("signs.xta", "@".repeat(5_000_000)).refuses("and 902 more");
    check("statements.xta", "1;".repeat(2_000_000)).refuses("and 902 more");
    check("braces.xta", "{".repeat(1_000_000)).refuses("error[syntax]");
    check("minus.xta", format!("int a = {}1;", "-".repeat(1_000_000))).refuses("error[too-deep]");
    check("name.xml", format!("<nta><template><name>{}</name></template></nta>", "a b".repeat(300_000)))
        .refuses("is not a name");
    check(
        "labels.xml",
        guarded("1 +</label><label kind=\"guard\">").replace("</template>", &{
            "<transition><source ref=\"a\"/><target ref=\"a\"/><label kind=\"guard\">1+</label></transition>"
                .repeat(10_000)
                + "</template>"
        }),
    )
    .refuses("more");
}

/// No model from the wild crashes merkhet, whether it is valid or not.
#[test]
fn models_from_the_wild() {
    let corpora = oracle::corpora("");
    let models: Vec<PathBuf> = corpora.iter().flat_map(|corpus| corpus.files(&["xml", "xta", "ta"])).collect();
    for some in models.chunks(50) {
        let mut args = vec!["check".into(), "--format".into(), "json".into()];
        args.extend(some.iter().map(|p| p.clone().into_os_string()));
        let run = run_in(Path::new("."), &args);
        let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(report["files"].as_array().unwrap().len(), some.len());
    }
}
