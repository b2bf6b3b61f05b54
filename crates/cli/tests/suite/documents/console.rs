//! Runs the console blocks of README and manual with the real binary, and compares the output.
//!
//! A line that begins with `$ ` is a command for `sh`, and lines after it that begin with `>`
//! continue it. The lines up to the next command are its output on both streams. The commands of a
//! document run one after the other in one empty folder, which contains `models`. Times and amounts
//! of memory differ from run to run: a number before such a unit equals any other. With
//! `MERKHET_BLESS=1` the blocks are rewritten, and so are the pictures that the commands create.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use super::{
    blesses, chapters, documents,
    markdown::{Block, Document},
    names, root,
};
use crate::common::{finish, scratch};

/// Separates the outputs of the commands in the output of a block, before and after the status.
const MARK: char = '\u{1e}';

/// Units of time and of memory.
const UNITS: [(&str, &[&str]); 2] = [("TIME", &["s", "ms", "µs", "ns"]), ("SIZE", &["B", "kB", "MB", "GB"])];

/// A command with the lines that it prints.
#[derive(Debug, PartialEq)]
struct Example {
    command: String,
    output: Vec<String>,
}

/// Returns the commands of a block.
fn examples(lines: &[String]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push(Example { command: command.to_owned(), output: Vec::new() }),
            (None, Some(example)) if example.output.is_empty() && line.starts_with('>') => {
                let rest = line.strip_prefix("> ").unwrap_or(&line[1..]);
                example.command.push('\n');
                example.command.push_str(rest);
            }
            (None, Some(example)) => example.output.push(line.clone()),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    examples.iter_mut().for_each(|example| trim(&mut example.output));
    examples
}

/// Formats a command as in a document.
fn written(command: &str) -> Vec<String> {
    let mut lines = command.split('\n');
    let first = lines.next().map(|line| format!("$ {line}"));
    first.into_iter().chain(lines.map(|line| format!("> {line}").trim_end().to_owned())).collect()
}

/// Removes blank lines at the end, which are only layout.
fn trim(lines: &mut Vec<String>) {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
}

/// Returns the quantity that a word is a unit of, and the punctuation after it.
fn kind_of_unit(word: &str) -> Option<(&'static str, &str)> {
    let unit = word.trim_end_matches([';', ',', '.', ')']);
    let (kind, _) = UNITS.iter().find(|(_, units)| units.contains(&unit))?;
    Some((kind, &word[unit.len()..]))
}

/// Returns a line without numbers that differ from run to run.
fn normal(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words.get(at + 1).and_then(|next| kind_of_unit(next)) {
            Some((kind, rest)) if is_number(words[at]) => {
                found.push(format!("{kind}{rest}"));
                at += 2;
            }
            _ => {
                found.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    found.join(" ")
}

/// Runs the commands of a block in a shell, so that variables and `$?` last as long as the block.
fn run(folder: &Path, examples: &[Example]) -> Vec<Vec<String>> {
    let mut script = String::from("exec 2>&1\n");
    for example in examples {
        script.push_str(&format!("{}\nstatus=$?; printf '\\036%d\\036' $status; (exit $status)\n", example.command));
    }
    script.push_str("exit 0\n");
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).current_dir(folder.join("work"));
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    shell.env("PATH", path).env("LC_ALL", "C.UTF-8");
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        shell.env_remove(variable);
    }
    let out = finish(&mut shell, b"").out;
    let parts: Vec<&str> = out.split(MARK).collect();
    assert_eq!(parts.len(), 2 * examples.len() + 1, "the shell has not run all commands: {out}");
    let outputs = parts.chunks_exact(2).zip(examples).map(|(part, example)| {
        let (output, status) = (part[0], part[1]);
        assert!(matches!(status, "0" | "1" | "2" | "3"), "`{}` ends with {status}: {output}", example.command);
        let mut lines: Vec<String> = output.lines().map(str::to_owned).collect();
        trim(&mut lines);
        lines
    });
    outputs.collect()
}

/// Returns the lines for a document. Lines that differ only in measured numbers stay as they are.
fn blessed(found: &[String], old: &[String]) -> Vec<String> {
    let keep = |(number, line): (usize, &String)| match old.get(number) {
        Some(old) if normal(old) == normal(line) => old.clone(),
        _ => line.clone(),
    };
    found.iter().enumerate().map(keep).collect()
}

fn check(name: &str, path: &str) {
    let folder = scratch(&format!("document-{name}"));
    fs::create_dir(folder.join("bin")).unwrap();
    fs::create_dir(folder.join("work")).unwrap();
    symlink(env!("CARGO_BIN_EXE_merkhet"), folder.join("bin/merkhet")).unwrap();
    symlink(root().join("models"), folder.join("work/models")).unwrap();
    let document = Document::read(&root(), path);
    let mut lines: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    let mut copied = 0;
    for block in document.blocks_in("console") {
        let examples = examples(&document.lines[block.start..block.end]);
        lines.extend_from_slice(&document.lines[copied..block.start]);
        copied = block.end;
        for (example, found) in examples.iter().zip(run(&folder, &examples)) {
            let now = blessed(&found, &example.output);
            if now != example.output {
                wrong.push(format!("$ {}\n{}", example.command, found.join("\n")));
            }
            lines.extend(written(&example.command));
            lines.extend(now);
        }
    }
    lines.extend_from_slice(&document.lines[copied..]);
    if blesses() {
        if lines != document.lines {
            fs::write(root().join(path), lines.join("\n") + "\n").unwrap();
        }
    } else {
        assert!(wrong.is_empty(), "{path} differs from:\n{}", wrong.join("\n\n"));
    }
    pictures(&folder.join("work"));
}

/// The pictures of the manual are those that the commands of its blocks create under the same file
/// names.
fn pictures(made: &Path) {
    let shown: Vec<String> = documents().iter().flat_map(Document::links).collect();
    for name in names(made).into_iter().filter(|name| name.ends_with(".svg")) {
        if !shown.iter().any(|link| link.ends_with(&format!("pictures/{name}"))) {
            continue;
        }
        let (new, kept) = (fs::read(made.join(&name)).unwrap(), root().join("manual/src/pictures").join(&name));
        if blesses() {
            fs::create_dir_all(kept.parent().unwrap()).unwrap();
            fs::write(kept, new).unwrap();
        } else {
            assert!(fs::read(&kept).unwrap_or_default() == new, "{} is not what the command creates", kept.display());
        }
    }
}

/// Every picture is created by a command and shown in a chapter; those of the page are PNG.
#[test]
fn every_picture_is_made_by_a_command_and_shown() {
    let documents = documents();
    for name in names(&root().join("manual/src/pictures")) {
        let commands = documents.iter().flat_map(|document| {
            let blocks = document.blocks_in("console").into_iter();
            blocks.flat_map(|block| examples(&document.lines[block.start..block.end]))
        });
        let is_made = |example: Example| example.command.ends_with(&format!("-o {name}"));
        let made = name.ends_with(".png") || commands.into_iter().any(is_made);
        let shown = documents.iter().flat_map(Document::links).any(|link| link.ends_with(&format!("pictures/{name}")));
        assert!(made && shown, "{name}: created by a command: {made}, shown: {shown}");
    }
}

/// Prompts occur in console blocks only.
#[test]
fn prompts_stand_in_console_blocks_only() {
    for document in documents() {
        let is_other = |block: &Block| block.language != "console";
        for block in document.blocks().into_iter().filter(is_other) {
            let prompt = document.lines[block.start..block.end].iter().find(|line| line.starts_with("$ "));
            assert!(prompt.is_none(), "{}: {prompt:?} is in a block that is not run", document.path);
        }
    }
}

macro_rules! documents {
    ($($name:ident: $path:literal;)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $path);
            }
        )*

        #[test]
        fn every_chapter_is_run() {
            let run = [$($path),*];
            for name in chapters() {
                let path = format!("manual/src/{name}");
                let has_blocks = !Document::read(&root(), &path).blocks_in("console").is_empty();
                assert!(!has_blocks || run.contains(&path.as_str()), "{path} is not in the table of this file");
            }
        }
    };
}

documents! {
    readme: "README.md";
    first_steps: "manual/src/first-steps.md";
    language: "manual/src/language.md";
    queries: "manual/src/queries.md";
    evidence: "manual/src/evidence.md";
    large_systems: "manual/src/large-systems.md";
    directed_search: "manual/src/directed-search.md";
    lattices: "manual/src/lattices.md";
    nets: "manual/src/nets.md";
    measuring: "manual/src/measuring.md";
    embedding: "manual/src/embedding.md";
    justification: "manual/src/justification.md";
    statistical: "manual/src/statistical.md";
}

#[test]
fn numbers_with_units_are_equal_and_others_are_not() {
    let line = "explored 12, stored 7 states; 1.52 s; 11.2 MB";
    assert_eq!(normal(line), "explored 12, stored 7 states; TIME; SIZE");
    assert_eq!(normal(line), normal("explored 12, stored 7 states; 310 ms; 320 B"));
    assert_ne!(normal(line), normal("explored 13, stored 7 states; 1.52 s; 11.2 MB"));
    assert_ne!(normal("4 s"), normal("4 B"));
    assert_eq!(normal("s 4 trains"), "s 4 trains");
}

#[test]
fn a_command_may_have_several_lines() {
    let lines = ["$ cat <<'END'", "> a", ">", ">   b", "> END", "a", "", "  b", "$ true"].map(str::to_owned);
    let examples = examples(&lines);
    assert_eq!(examples[0].command, "cat <<'END'\na\n\n  b\nEND");
    assert_eq!(written(&examples[0].command), lines[..5]);
    assert_eq!(examples[0].output, ["a", "", "  b"]);
}

#[test]
fn commands_are_run_and_their_output_is_found() {
    let lines = ["$ printf 'a\\nb\\n\\n'", "a", "b", "", "$ sh -c 'echo c >&2; exit 2'", "c", "$ echo $?", "2"];
    let examples = examples(&lines.map(str::to_owned));
    let folder = scratch("document-shell");
    fs::create_dir(folder.join("work")).unwrap();
    let found = run(&folder, &examples);
    assert_eq!(found, examples.into_iter().map(|example| example.output).collect::<Vec<_>>());
}
