//! Counts of networks, answers and options.

use std::{collections::BTreeMap, fmt};

use super::{choice::FACTORS, judge::Judgement, kind::NetworkKind, pairs::Pairs};

/// The counts of a campaign.
#[derive(Clone, Default)]
pub struct Tally {
    /// By kind: networks, answers, and answers about goals where no code can fail, so that dead
    /// ends are pruned.
    kinds: [(usize, usize, usize); NetworkKind::ALL.len()],
    /// Answers by judgement.
    judgements: BTreeMap<Judgement, usize>,
    /// Pairs of options in answers that were compared.
    pub pairs: Pairs,
    /// The number of wrong answers.
    pub mistakes: usize,
    /// The numbers of valid certificates and of those that were too large to check.
    certificates: (usize, usize),
}

impl Tally {
    /// Counts a network of a kind.
    pub fn network(&mut self, kind: usize) {
        self.kinds[kind].0 += 1;
    }

    /// Counts an answer about a network of a kind.
    pub fn answer(&mut self, kind: usize, is_sound: bool, judgement: Judgement) {
        self.kinds[kind].1 += 1;
        self.kinds[kind].2 += usize::from(is_sound);
        *self.judgements.entry(judgement).or_default() += 1;
    }

    /// Counts a certificate that was checked or was too large to check.
    pub fn certificate(&mut self, is_decided: bool) {
        self.certificates.0 += usize::from(is_decided);
        self.certificates.1 += usize::from(!is_decided);
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Tally) {
        for (own, other) in self.kinds.iter_mut().zip(&other.kinds) {
            *own = (own.0 + other.0, own.1 + other.1, own.2 + other.2);
        }
        other.judgements.iter().for_each(|(judgement, count)| *self.judgements.entry(*judgement).or_default() += count);
        self.pairs.add(&other.pairs);
        self.mistakes += other.mistakes;
        self.certificates.0 += other.certificates.0;
        self.certificates.1 += other.certificates.1;
    }
}

#[cfg(test)]
impl Tally {
    /// Returns the number of answers with a judgement.
    pub fn count(&self, judgement: Judgement) -> usize {
        self.judgements.get(&judgement).copied().unwrap_or(0)
    }

    /// Returns the number of valid certificates.
    pub fn certified(&self) -> usize {
        self.certificates.0
    }

    /// Returns the number of answers for which dead ends may be pruned, by kind of network.
    pub fn sound(&self, kind: NetworkKind) -> usize {
        let kinds = NetworkKind::ALL.iter().zip(&self.kinds);
        kinds.filter(|((own, ..), _)| *own == kind).map(|(_, counts)| counts.2).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<36} {:>9} {:>9} {:>12}", "networks", "count", "answers", "can't fail")?;
        for ((_, name, _), (networks, answers, sound)) in NetworkKind::ALL.iter().zip(&self.kinds) {
            writeln!(out, "  {name:<34} {networks:>9} {answers:>9} {sound:>12}")?;
        }
        writeln!(out, "\n{:<36} {:>9}", "answers", "count")?;
        for (judgement, count) in &self.judgements {
            let words = match judgement {
                Judgement::Right => "right, without a trace",
                Judgement::Trace => "right, with a trace",
                Judgement::Best => "right, with a best trace",
                Judgement::NotCompared => "not compared: unknown to the oracle",
                Judgement::Unknown(why) => &format!("unknown: {why}"),
            };
            writeln!(out, "  {words:<34} {count:>9}")?;
        }
        writeln!(out, "  {:<34} {:>9}", "wrong", self.mistakes)?;
        writeln!(out, "\n{:<36} {:>9}", "certificates", "count")?;
        writeln!(out, "  {:<34} {:>9}", "certified", self.certificates.0)?;
        writeln!(out, "  {:<34} {:>9}", "too large to be checked", self.certificates.1)?;
        writeln!(out, "\noptions, and in how many answers that were compared")?;
        for (number, factor) in FACTORS.iter().enumerate() {
            let named = |value: &'static str| if value.is_empty() { "-" } else { value };
            let values =
                (0..).zip(&factor.values).map(|(i, v)| format!("{} {}", named(v), self.pairs.count(number, i)));
            writeln!(out, "  {}: {}", factor.name, values.collect::<Vec<String>>().join(", "))?;
        }
        let all = self.pairs.all().count();
        let missing: Vec<String> = self.pairs.all().filter(|(_, count)| *count == 0).map(|(words, _)| words).collect();
        let least = self.pairs.all().map(|(_, count)| count).min().unwrap_or(0);
        writeln!(out, "\npairs of values: {} of {all}, each at least {least} times", all - missing.len())?;
        for words in missing.iter().take(10) {
            writeln!(out, "  missing: {words}")?;
        }
        Ok(())
    }
}
