//! Events and labels of TChecker's models.
//!
//! [`crate::vector`] has the semantics of vectors. The rest of TChecker's semantics (version 0.8)
//! is:
//!
//! - Urgent and committed locations are those of UPPAAL: time may not pass in either
//!   (`delay_allowed` in `src/ta/ta.cc`), and in the presence of a committed location a transition
//!   must leave one (`src/syncprod/syncprod.cc`).
//! - Guards are evaluated before any update. A transition whose target violates an invariant can't
//!   be taken, and an initial state that violates one does not exist (`src/ta/ta.cc`).
//! - Integers have 32 bits unless TChecker is built otherwise (`cmake/CheckCompilerFlags.cmake`).
//!   All elements of an array have the declared initial value, clocks 0, and variables of an update
//!   0 every time.
//! - A value outside of its variable's range ends the run, as an index outside of its array does:
//!   `VM_FAILNOTIN` in `include/tchecker/vm/vm.hh` throws an exception that ends `tck-reach`.
//!   `doc/file-format.md` says that such a transition just can't be taken. We do what the tool
//!   does: a run-time error, which can't be overlooked.
//! - A variable of size 1 is not an array but may be written `x[0]`; an index other than 0 is an
//!   error.
//! - Any conjunction may be an invariant. A state has all labels of its locations, and satisfies a
//!   list of labels if it has each of them (`accepting` in
//!   `include/tchecker/algorithms/reach/algorithm.hh`).

use rustc_hash::FxHashMap;
use syntax::{
    ast::{Edge, ExprId, ExprKind, Location},
    word,
};

use super::Lowerer;
use crate::{
    code::{Cmp, Op, Region},
    system::{EventId, LabelId, ProcessId, Sync},
    vector::{Participant, SyncVector},
};

impl Lowerer<'_> {
    /// Collects the events of vectors, before the edges are lowered.
    pub(super) fn events(&mut self) {
        let Some(events) = &self.tree.events else { return };
        self.system.events = events.names.iter().map(|name| self.tree.text(name.sym).to_owned()).collect();
        for participant in events.syncs.iter().flat_map(|sync| &sync.participants) {
            let weak = self.s.synchronised.entry((participant.process, participant.event)).or_default();
            *weak |= participant.weak;
        }
    }

    /// Returns the synchronisation of an edge with an event.
    pub(super) fn event_sync(&self, template: u32, edge: &Edge) -> Sync {
        match edge.event {
            Some(event) if self.s.synchronised.contains_key(&(template, event)) => Sync::Event(EventId(event)),
            _ => Sync::Internal,
        }
    }

    /// Returns whether an edge may belong to a weak participant.
    pub(super) fn is_weak(&self, template: u32, edge: &Edge) -> bool {
        edge.event.and_then(|event| self.s.synchronised.get(&(template, event))).copied().unwrap_or(false)
    }

    /// Adds the vectors, after the processes.
    pub(super) fn vectors(&mut self) {
        let Some(events) = &self.tree.events else { return };
        let processes: FxHashMap<u32, ProcessId> =
            self.system.processes.iter().zip((0..).map(ProcessId)).map(|(p, id)| (p.template, id)).collect();
        self.system.vectors = events
            .syncs
            .iter()
            .filter_map(|sync| {
                let participants = sync.participants.iter().map(|p| {
                    let process = *processes.get(&p.process)?;
                    Some(Participant { process, event: EventId(p.event), weak: p.weak })
                });
                Some(SyncVector { participants: participants.collect::<Option<_>>()? })
            })
            .collect();
    }

    /// Returns the labels of a location, in order.
    pub(super) fn location_labels(&mut self, location: &Location) -> Vec<LabelId> {
        let mut labels = Vec::new();
        for label in &location.labels {
            let next = LabelId(self.system.labels.len() as u32);
            let id = *self.s.labels.entry(label.sym).or_insert(next);
            if id == next {
                self.system.labels.push(self.tree.text(label.sym).to_owned());
            }
            labels.push(id);
        }
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Returns the label of the expression `label(a)`.
    pub(super) fn label_of(&self, e: ExprId) -> Option<LabelId> {
        let ExprKind::Call(callee, args) = self.tree.kind(e) else { return None };
        if self.tree.kind(callee) != ExprKind::Name(word::LABEL) || self.checked.name(callee).is_some() {
            return None;
        }
        let (ExprKind::Name(label) | ExprKind::Text(label)) = self.tree.kind(*self.tree.list(args).first()?) else {
            return None;
        };
        self.s.labels.get(&label).copied()
    }

    /// Compiles a jump that is taken if the truth of `label(a)` is `when`: some process is at a
    /// location with the label.
    pub(super) fn branch_label(&mut self, label: LabelId, when: bool) -> Vec<usize> {
        let mut places = Vec::new();
        for (p, process) in self.system.processes.iter().enumerate() {
            let first = process.first_location.0;
            for i in 0..process.locations {
                if self.system.locations[(first + i) as usize].labels.binary_search(&label).is_ok() {
                    places.push((p as u32, i as i32));
                }
            }
        }
        let mut yes = Vec::new();
        for (process, location) in places {
            let (a, b) = (Region::Locations.at(process), self.literal(location));
            yes.push(self.emit(Op::JumpIf { cmp: Cmp::Eq, a, b, by: 0 }));
        }
        if when {
            return yes;
        }
        let no = self.emit(Op::Jump { by: 0 });
        self.land_all(yes);
        vec![no]
    }
}
