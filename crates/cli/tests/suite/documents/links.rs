//! The targets of links and anchors exist, paths in backquotes exist, and the manual is a book.

use std::{collections::BTreeSet, path::Path};

use super::{chapters, documents, markdown::Document, root};

/// Resolves `.` and `..` in a path. Returns `None` if the path leaves the repository.
fn resolved(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn links_and_anchors_lead_somewhere() {
    for document in documents() {
        let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in document.links() {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((&link[..], None), |(file, anchor)| (file, Some(anchor)));
            let target = match file {
                "" => Some(document.path.clone()),
                file => resolved(folder, file),
            };
            let path = target.filter(|path| root().join(path).exists());
            let path = path.unwrap_or_else(|| panic!("{}: missing file `{link}`", document.path));
            // A published book has no access to files outside of it.
            let leaves = document.path.starts_with("manual/") && !path.starts_with("manual/src/");
            assert!(!leaves, "{}: `{link}` points outside of the manual", document.path);
            if let Some(anchor) = anchor {
                let headings = Document::read(&root(), &path).headings();
                let known = headings.iter().any(|(_, _, known)| known == anchor);
                assert!(known, "{}: `{path}` has no heading `#{anchor}`", document.path);
            }
        }
    }
}

#[test]
fn paths_in_backquotes_exist() {
    for document in documents() {
        for code in document.code() {
            let folders = ["crates/", "models/", "schemas/", "manual/", ".ci/"];
            if !folders.iter().any(|folder| code.starts_with(folder)) || code.contains(' ') {
                continue;
            }
            let path = code.trim_end_matches(['/', '*']);
            assert!(root().join(path).exists(), "{}: missing file `{code}`", document.path);
        }
    }
}

#[test]
fn the_manual_is_a_book() {
    assert!(root().join("manual/book.toml").exists());
    let summary = Document::read(&root(), "manual/src/SUMMARY.md");
    let listed = summary.links();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "a chapter is listed twice");
    let mut files = chapters();
    files.remove("SUMMARY.md");
    assert_eq!(once, files, "SUMMARY.md lists all chapters, and nothing else");
    for name in files {
        let headings = Document::read(&root(), &format!("manual/src/{name}")).headings();
        assert_eq!(headings.iter().filter(|(depth, _, _)| *depth == 1).count(), 1, "{name} has one title");
        assert_eq!(headings[0].0, 1, "{name} begins with its title");
    }
}

#[test]
fn the_readme_is_short() {
    let readme = Document::read(&root(), "README.md");
    assert!(readme.lines.len() <= 150, "README.md has {} lines", readme.lines.len());
    for line in &readme.lines {
        assert!(line.chars().count() <= 120, "README.md has a long line: {line}");
    }
}

#[test]
fn paths_are_resolved() {
    assert_eq!(resolved("manual/src", "queries.md").as_deref(), Some("manual/src/queries.md"));
    assert_eq!(resolved("manual/src", "../book.toml").as_deref(), Some("manual/book.toml"));
    assert_eq!(resolved("", "../x"), None);
    assert!(Path::new(&root()).join("Cargo.toml").exists());
}
