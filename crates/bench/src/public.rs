//! Models of other people, on which the time of a search is spent elsewhere than on the families.

/// A model of other people.
#[derive(Debug)]
pub struct PublicModel {
    /// Its name in tables.
    pub name: &'static str,
    /// Its file, in the folder of all of them.
    pub file: &'static str,
    /// The number of stored states after which its search is stopped.
    pub states: usize,
}

const fn model(name: &'static str, file: &'static str, states: usize) -> PublicModel {
    PublicModel { name, file, states }
}

/// The models. Each folder is a public repository, with `+` for `/`.
pub const MODELS: [PublicModel; 8] = [
    // Functions that add up arrays of 60 and 1440 numbers.
    model(
        "painkiller",
        "wangyf9+CS132-Software-Engineering/Painkiller/uppaal/painkiller_simplied_final_version.xml",
        3000,
    ),
    // Urgent broadcasts whose guards are functions with loops.
    model("vanilla", "ImAndreaBellani+FMCRS-Homework-Project-2025/DELIVERY_FOLDER/Vanilla.xml", 3000),
    // Many clocks.
    model(
        "sr-222",
        "mac-p+mgr/models/lang/ver/sr-222/max-comp/sr-222-maxred-max13-hold-nolate-dom.ver/sr-222-maxred-max13-hold-nolate.xml",
        6000,
    ),
    model("fire-alarm-16", "DEIS-Tools+upor/FireAlarm/fireAlarm_16.xml", 6000),
    // Long rows.
    model(
        "verify-pin-7",
        "Brandhoej+uppaal-riscv-vm/experiments/results/reachability-symbolic/VerifyPIN_7_HB+FTL+INL+DPTC+DT+SC/VerifyPIN_7_HB+FTL+INL+DPTC+DT+SC--F1--C100--IS.xml",
        8000,
    ),
    // Channels and small functions.
    model("elevator", "zivmax+cs132-elevator/src/test/model/system.xml", 20000),
    model("raft", "SPDonaghy+raft_uppaal/raft.xml", 20000),
    model("bank", "wangyf9+CS132-Software-Engineering/Bank/uppaal/bank.xml", 20000),
];
