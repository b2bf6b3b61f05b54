//! The workers of other processes, as an exchange sees them.
//!
//! A packet for one of them becomes a frame. A frame from one of them becomes a packet in an inbox;
//! if its sender has begun the next level already, it waits until this process does. A level of the
//! whole search ends by rounds of reports to process 0, see [`crate::cluster`].

use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use model::System;
use zone::Bound;

use super::{
    exchange::{Exchange, Rest, lock},
    packet::Packet,
};
use crate::{
    cluster::{
        AfterReport, Cluster, Delivery, FlatReader, FlatWriter, Malformed, Participant, Quiet, Resident, Rounds,
        read_counts, write_counts,
    },
    search::WorkerLoad,
};

/// What processes say to each other's searches. All but packets belong to one run of a search, from
/// its start or resumption to its next pause.
const PACKET: u8 = 0;
const QUIET: u8 = 1;
const ASK: u8 = 2;
const NEXT_LEVEL: u8 = 3;
const END: u8 = 4;
const PAUSE: u8 = 5;
const PROGRESS: u8 = 6;
const IDLE: u8 = 7;

/// The workers of other processes.
pub(super) struct Others<B> {
    pub cluster: Cluster,
    /// The number of the search.
    search: u64,
    /// The number of the first worker of this process.
    pub first: usize,
    /// The ranges of the integers of a row.
    ranges: Vec<(i32, i32)>,
    /// The number of integers of a zone.
    area: usize,
    /// The packets that were sent to each process.
    sent: Vec<AtomicU64>,
    /// The number after the level in which each process has said that all its workers rest, if it
    /// has got no loan since.
    idle: Vec<AtomicUsize>,
    /// Locked after the exchange's own lock.
    talk: Mutex<Talk<B>>,
}

/// What was said.
struct Talk<B> {
    /// Counts the runs of the search.
    run: u32,
    /// The packets that were received from other processes.
    received: u64,
    /// Packets of the next level, with their receivers.
    early: Vec<(usize, Packet<B>)>,
    /// The last round of this level.
    round: u32,
    /// The last report of this level, with its round.
    reported: Option<(u32, Quiet)>,
    /// Whether this process has said in this level that its workers rest, and has got no loan
    /// since.
    wants_loan: bool,
    /// What process 0 knows of all.
    rounds: Rounds,
    /// What the workers of the other processes have done. Process 0 gets it.
    progress: Vec<Vec<WorkerLoad>>,
}

impl<B: Bound> Others<B> {
    pub(super) fn new(cluster: &Cluster, system: &System) -> Others<B> {
        let processes = cluster.processes();
        let workers = |process: usize| {
            let load = WorkerLoad { process: Some(process), ..WorkerLoad::default() };
            let count = if process == cluster.number() { 0 } else { cluster.workers_of(process) };
            vec![load; count]
        };
        let talk = Talk {
            run: 0,
            received: 0,
            early: Vec::new(),
            round: 0,
            reported: None,
            wants_loan: false,
            rounds: Rounds::new(processes),
            progress: (0..processes).map(workers).collect(),
        };
        Others {
            cluster: cluster.clone(),
            search: 0,
            first: cluster.first_worker(cluster.number()),
            ranges: system.ranges.clone(),
            area: system.clocks.len() * system.clocks.len(),
            sent: (0..processes).map(|_| AtomicU64::new(0)).collect(),
            idle: (0..processes).map(|_| AtomicUsize::new(0)).collect(),
            talk: Mutex::new(talk),
        }
    }

    /// Sets the number of the search, before it begins.
    pub(super) fn set_search(&mut self, search: u64) {
        self.search = search;
    }

    fn talk(&self) -> MutexGuard<'_, Talk<B>> {
        lock(&self.talk)
    }

    /// Begins a run.
    pub(super) fn start(&self) {
        let mut talk = self.talk();
        talk.run += 1;
        talk.begin_level();
        self.idle.iter().for_each(|idle| idle.store(0, Ordering::Relaxed));
    }

    /// Returns the first worker of another process in which all rest in a level.
    #[inline]
    pub(super) fn idle_worker(&self, level: usize) -> Option<usize> {
        let process = self.idle.iter().position(|idle| idle.load(Ordering::Relaxed) == level + 1)?;
        Some(self.cluster.first_worker(process))
    }

    /// A worker gets a loan.
    pub(super) fn note_loan(&self, to: usize) {
        let process = self.cluster.process_of(to).unwrap_or(self.cluster.number());
        self.idle[process].store(0, Ordering::Relaxed);
    }

    /// Tells the other processes that all workers of this one rest.
    fn ask_for_loans(&self, talk: &mut Talk<B>, level: usize) {
        if !std::mem::replace(&mut talk.wants_loan, true) {
            self.say_to_all(FlatWriter::default().byte(IDLE).small(talk.run).number(level as u64));
        }
    }

    fn is_first(&self) -> bool {
        self.cluster.number() == 0
    }

    fn say(&self, to: usize, frame: &FlatWriter) {
        self.cluster.send(to, self.search, &frame.0, Delivery::Urgent);
    }

    fn say_to_all(&self, frame: &FlatWriter) {
        for process in (0..self.cluster.processes()).filter(|process| *process != self.cluster.number()) {
            self.say(process, frame);
        }
    }

    /// Sends a packet, unless its receiver is a worker of this process.
    pub(super) fn send(&self, to: usize, level: usize, packet: &Packet<B>) -> bool {
        let Some(process) = self.cluster.process_of(to).filter(|process| *process != self.cluster.number()) else {
            return false;
        };
        self.sent[process].fetch_add(1, Ordering::SeqCst);
        let mut out = FlatWriter(Vec::with_capacity(64 + packet.bytes()));
        packet.write(out.byte(PACKET).number(level as u64).small(to as u32));
        self.cluster.send(process, self.search, &out.0, Delivery::Patient);
        true
    }

    /// Makes the workers of all processes pause.
    pub(super) fn pause(&self) {
        let run = self.talk().run;
        self.say_to_all(FlatWriter::default().byte(PAUSE).small(run));
    }

    /// Reports what the workers of this process have done to process 0.
    pub(super) fn tell_progress(&self, workers: &[WorkerLoad]) {
        if self.is_first() {
            return;
        }
        let mut out = FlatWriter::default();
        self.cluster.own_memory().write(out.byte(PROGRESS).small(self.talk().run));
        for WorkerLoad { counts, waiting, sent, received, rests, .. } in workers {
            write_counts(counts, &mut out);
            out.number(*waiting as u64).number(*sent as u64).number(*received as u64).byte((*rests).into());
        }
        self.say(0, &out);
    }

    /// Notes what the workers of another process have done.
    fn hear_progress(&self, from: usize, mut frame: FlatReader<'_>) -> Result<(), Malformed> {
        let memory = Resident::read(&mut frame)?;
        let mut talk = self.talk();
        let known = talk.progress.get_mut(from).ok_or(Malformed)?;
        let mut heard = known.clone();
        for load in &mut heard {
            load.counts = read_counts(&mut frame)?;
            (load.waiting, load.sent, load.received) = (frame.count()?, frame.count()?, frame.count()?);
            load.rests = frame.byte()? == 1;
        }
        frame.end()?;
        *known = heard;
        drop(talk);
        self.cluster.note_memory(from, memory);
        Ok(())
    }

    /// Returns what the workers of other processes have done, as far as this process knows.
    pub(super) fn progress(&self) -> Vec<WorkerLoad> {
        self.talk().progress.concat()
    }

    /// Returns the number of packets that were sent to each process.
    pub(super) fn sent(&self) -> impl Iterator<Item = u64> {
        self.sent.iter().map(|sent| sent.load(Ordering::SeqCst))
    }

    /// Returns the number of packets that were received from other processes.
    pub(super) fn received(&self) -> u64 {
        self.talk().received
    }

    /// Reports that this process is quiet, unless process 0 knows. Returns whether the level has
    /// ended.
    pub(super) fn is_quiet(&self, rest: &mut Rest, exchange: &Exchange<B>) -> bool {
        let mut talk = self.talk();
        self.ask_for_loans(&mut talk, rest.level);
        let mut ends = false;
        loop {
            let sent = self.sent().sum();
            let quiet = Quiet { sent, received: talk.received, has_next_level: rest.has_next_level };
            let report = (talk.round, quiet);
            if talk.reported.replace(report) == Some(report) {
                return ends;
            }
            if !self.is_first() {
                let mut out = FlatWriter::default();
                out.byte(QUIET).small(talk.run).number(rest.level as u64).small(talk.round);
                out.number(quiet.sent).number(quiet.received).byte(quiet.has_next_level.into());
                self.say(0, &out);
                return ends;
            }
            let round = talk.round;
            let after = talk.rounds.note(0, round, quiet);
            ends |= self.conclude(after, rest, &mut talk, exchange);
            if ends {
                return true;
            }
        }
    }

    /// Does what follows a report, in process 0. Returns whether the level has ended.
    fn conclude(&self, after: AfterReport, rest: &mut Rest, talk: &mut Talk<B>, exchange: &Exchange<B>) -> bool {
        let mut out = FlatWriter::default();
        match after {
            AfterReport::Wait => return false,
            AfterReport::Ask(round) => {
                talk.round = round;
                self.say_to_all(out.byte(ASK).small(talk.run).number(rest.level as u64).small(round));
                return false;
            }
            AfterReport::NextLevel => {
                self.say_to_all(out.byte(NEXT_LEVEL).small(talk.run).number(rest.level as u64));
                self.advance(rest, talk, exchange);
            }
            AfterReport::End => {
                self.say_to_all(out.byte(END).small(talk.run));
                rest.is_over = true;
                exchange.wake_all();
            }
        }
        true
    }

    /// Begins the next level.
    fn advance(&self, rest: &mut Rest, talk: &mut Talk<B>, exchange: &Exchange<B>) {
        rest.next_level();
        talk.begin_level();
        talk.early.drain(..).for_each(|(to, packet)| exchange.put(to, packet));
        exchange.wake_all();
    }
}

impl<B> Talk<B> {
    fn begin_level(&mut self) {
        (self.round, self.reported, self.wants_loan) = (0, None, false);
        self.rounds = Rounds::new(self.progress.len());
    }
}

impl<B: Bound> Exchange<B> {
    /// Takes a packet from another process.
    fn take_packet(&self, others: &Others<B>, from: usize, mut frame: FlatReader<'_>) -> Result<(), Malformed> {
        let (level, to) = (frame.count()?, frame.small()? as usize);
        let packet = Packet::read(&mut frame, others.ranges.len(), others.area)?;
        frame.end()?;
        let own = others.first..others.first + others.cluster.own_workers();
        // A process also sends the successors of states that it has borrowed, in the name of their
        // owner.
        let sender = others.cluster.process_of(packet.from.into());
        if sender.is_none()
            || (packet.is_loan && sender != Some(from))
            || !own.contains(&to)
            || !packet.can_be_stored(&others.ranges)
        {
            return Err(Malformed);
        }
        let rest = lock(&self.rest);
        let mut talk = others.talk();
        talk.received += 1;
        talk.wants_loan &= !packet.is_loan;
        if level > rest.level {
            talk.early.push((to - others.first, packet));
        } else {
            self.put(to - others.first, packet);
            self.wake(to - others.first);
        }
        Ok(())
    }
}

impl<B: Bound> Participant for Exchange<B> {
    fn receive(&self, from: usize, mut frame: FlatReader<'_>) -> Result<(), Malformed> {
        let Some(others) = &self.others else { return Ok(()) };
        let kind = frame.byte()?;
        if kind == PACKET {
            return self.take_packet(others, from, frame);
        }
        let run = frame.small()?;
        let is_current = |talk: &Talk<B>| talk.run == run;
        match kind {
            PAUSE => {
                frame.end()?;
                if is_current(&others.talk()) {
                    self.pause_here();
                }
            }
            IDLE => {
                let level = frame.count()?;
                frame.end()?;
                if is_current(&others.talk()) {
                    others.idle[from].store(level.saturating_add(1), Ordering::Relaxed);
                }
            }
            PROGRESS if others.is_first() => {
                others.hear_progress(from, frame)?;
            }
            QUIET if others.is_first() => {
                let (level, round) = (frame.count()?, frame.small()?);
                let (sent, received) = (frame.number()?, frame.number()?);
                let quiet = Quiet { sent, received, has_next_level: frame.byte()? == 1 };
                frame.end()?;
                let mut rest = lock(&self.rest);
                {
                    let mut talk = others.talk();
                    if !is_current(&talk) || level != rest.level || rest.is_over || self.pauses() {
                        return Ok(());
                    }
                    let after = talk.rounds.note(from, round, quiet);
                    if others.conclude(after, &mut rest, &mut talk, self) || after == AfterReport::Wait {
                        return Ok(());
                    }
                }
                // A new round: this process is asked as well.
                if self.is_quiet(&rest) {
                    others.is_quiet(&mut rest, self);
                }
            }
            ASK if from == 0 => {
                let (level, round) = (frame.count()?, frame.small()?);
                frame.end()?;
                let mut rest = lock(&self.rest);
                {
                    let mut talk = others.talk();
                    if !is_current(&talk) || level != rest.level {
                        return Ok(());
                    }
                    talk.round = round;
                }
                if self.is_quiet(&rest) {
                    others.is_quiet(&mut rest, self);
                }
            }
            NEXT_LEVEL if from == 0 => {
                let level = frame.count()?;
                frame.end()?;
                let mut rest = lock(&self.rest);
                let mut talk = others.talk();
                if is_current(&talk) && level == rest.level {
                    others.advance(&mut rest, &mut talk, self);
                }
            }
            END if from == 0 => {
                frame.end()?;
                let mut rest = lock(&self.rest);
                if is_current(&others.talk()) {
                    rest.is_over = true;
                    self.wake_all();
                }
            }
            _ => return Err(Malformed),
        }
        Ok(())
    }

    fn pause(&self) {
        self.pause_here();
    }
}
