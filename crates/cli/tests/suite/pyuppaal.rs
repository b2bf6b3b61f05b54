//! PyUPPAAL, a client of UPPAAL's from PyPI, works with this binary in the place of `verifyta`.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::scratch;

const PACKAGE: &str = "pyuppaal==1.2.0";

/// Runs something that needs the world outside.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// A Python that has the package. It is kept from one run of the tests to the next.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pyuppaal-environment");
    let python = folder.join("bin/python");
    if run(Command::new(&python).args(["-c", "import pyuppaal"])).is_err() {
        let _ = fs::remove_dir_all(&folder);
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let options =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"];
        run(Command::new(&python).args(options).arg(PACKAGE))?;
    }
    Ok(python)
}

#[test]
fn pyuppaal_gets_answers_and_traces() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return println!("skipped: there is no PyUPPAAL here: {}", why.trim()),
    };
    let folder = scratch("pyuppaal");
    let verifyta = folder.join("verifyta");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_merkhet"), &verifyta).unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verifyta");
    fs::copy(tests.join("lamp.xml"), folder.join("lamp.xml")).unwrap();
    let gate = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/train_gate.xta");
    let convert = ["convert", gate.to_str().unwrap(), "-o", "gate.xml"];
    crate::common::run_in(&folder, &convert).succeeds();
    let script = tests.join("client.py");
    let output = Command::new(python).arg(script).arg(&verifyta).current_dir(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.ends_with("done\n"), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}
