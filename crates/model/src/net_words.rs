//! The names of a net's system: reports speak of tokens, ages and transitions, not of the automata
//! that represent the net.

use std::sync::Arc;

use syntax::net::{Net, NetWords};

use crate::system::System;

/// Renames the elements of a system that was generated from a net. Names are for reports only.
pub(crate) fn rename(net: &Arc<Net>, system: &mut System) {
    let words = NetWords::new(net);
    system.net = Some(Arc::clone(net));
    for p in 0..system.processes.len() {
        let Some(&subject) = words.processes.get(&system.processes[p].name) else { continue };
        let process = &mut system.processes[p];
        process.name = NetWords::process(net, subject);
        let (first, count) = (process.first_location.0 as usize, process.locations as usize);
        for (number, location) in system.locations[first..first + count].iter_mut().enumerate() {
            location.name = NetWords::location(subject, number).into();
        }
    }
    let rename = |name: &mut String| {
        if let Some(word) = words.values.get(name) {
            name.clone_from(word);
        }
    };
    system.clocks.iter_mut().for_each(|clock| rename(&mut clock.name));
    system.variables.iter_mut().for_each(|variable| rename(&mut variable.name));
}
