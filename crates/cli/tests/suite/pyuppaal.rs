//! PyUPPAAL, a client of UPPAAL from PyPI, works with this binary in place of `verifyta`.
//!
//! The package is not installed here: `MERKHET_PYTHON` names a Python that has it, `python3` if the
//! variable is not set. `.ci/run` makes one.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{env, ffi::OsString, fs, path::Path, process::Command};

use crate::common::scratch;

/// Returns a Python that has the package, or the reason why none does.
fn python() -> Result<OsString, String> {
    let python = env::var_os("MERKHET_PYTHON").unwrap_or_else(|| "python3".into());
    let output =
        Command::new(&python).args(["-c", "import pyuppaal"]).output().map_err(|e| format!("{python:?}: {e}"))?;
    match output.status.success() {
        true => Ok(python),
        false => Err(format!("{python:?} has no PyUPPAAL; MERKHET_PYTHON can name another Python")),
    }
}

#[test]
fn pyuppaal_gets_answers_and_traces() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => return oracle::skip(&why),
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
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.ends_with("done\n"),
        "{printed}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
