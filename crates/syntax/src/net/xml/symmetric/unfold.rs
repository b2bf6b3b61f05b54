//! From colours to places and transitions.

use rustc_hash::FxHashSet;

use super::{
    ColouredArc, ColouredNet, ColouredPlace, ColouredTransition, NetXmlReader,
    evaluate::ColourBinding,
    sorts::{SortId, Sorts},
    terms::ColourTerm,
};
use crate::{
    diagnostic::Diagnostic,
    net::draft::{ArcKind, DraftAgedArc, DraftSum},
    source::Span,
};

/// The greatest numbers of places, transitions and arcs of an unfolding.
const MAX_PLACES: u64 = 250_000;
const MAX_TRANSITIONS: u64 = 250_000;
const MAX_ARCS: u64 = 2_000_000;

/// The greatest number of terms and conditions that are evaluated.
const MAX_WORK: u64 = 400_000_000;

/// The variables of a transition under enumeration.
struct Bindings<'a> {
    transition: &'a ColouredTransition,
    /// The variables in the order in which they are given colours: those of the condition first.
    order: Vec<u32>,
    /// The variables in the order of their declarations.
    sorted: Vec<u32>,
    /// The colours of all variables of the net. Between transitions none has one.
    colours: &'a mut [Option<u64>],
}

impl<'a> Bindings<'a> {
    fn new(transition: &'a ColouredTransition, colours: &'a mut [Option<u64>]) -> Bindings<'a> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut note = |variable: u32| {
            if seen.insert(variable) {
                order.push(variable);
            }
        };
        transition.conditions.iter().for_each(|condition| condition.variables(&mut note));
        for arc in &transition.arcs {
            arc.inscription.variables(&mut note);
            arc.moves_to.iter().for_each(|(_, tokens)| tokens.variables(&mut note));
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        Bindings { transition, order, sorted, colours }
    }
}

/// How much was built.
#[derive(Default)]
struct Built {
    transitions: u64,
    arcs: u64,
    work: u64,
}

/// The reason why an unfolding is given up; it was reported.
struct GivenUp;

impl NetXmlReader<'_, '_> {
    pub(in crate::net::xml) fn unfold(&mut self, net: &ColouredNet) {
        let ColouredNet { sorts, places, transitions } = net;
        let count: u64 = places.iter().map(|p| sorts.size(p.sort)).fold(0, u64::saturating_add);
        if count > MAX_PLACES {
            let span = places.iter().max_by_key(|p| sorts.size(p.sort)).map_or(Span::NONE, |p| p.span);
            self.too_large(span, &format!("{count} places"), &format!("{MAX_PLACES} places"));
            return;
        }
        let firsts: Vec<u32> = places.iter().map(|place| self.unfold_place(place, sorts)).collect();
        let (mut built, mut colours) = (Built::default(), vec![None; sorts.variables.len()]);
        for transition in transitions {
            let bindings = Bindings::new(transition, &mut colours);
            let given_up = self.unfold_transition(bindings, &firsts, sorts, &mut built).is_err();
            if given_up || self.problems.is_over() {
                return;
            }
        }
    }

    fn too_large(&mut self, span: Span, what: &str, most: &str) {
        let d = Diagnostic::error("too-large", span, format!("the unfolding of the net is too large: {what}"));
        self.problems.report(d.label("here").help(format!("at most {most} are possible; use smaller sorts")));
    }

    /// Adds the places of all colours, and returns the first one.
    fn unfold_place(&mut self, place: &ColouredPlace, sorts: &Sorts) -> u32 {
        let first = self.draft.places.len() as u32;
        let size = sorts.size(place.sort);
        let mut tokens = place.tokens.iter().peekable();
        for colour in 0..size {
            let name = unfolded_name(&place.written, &[(place.sort, colour)], sorts, size == 1);
            let written = free_name(name, |name| self.draft.find_place(name).is_some());
            let number = self.draft.place(&written, place.span);
            let own = tokens.next_if(|(c, _)| *c == colour).map(|(_, number)| (*number, place.span));
            let new = &mut self.draft.places[number as usize];
            new.is_declared = true;
            new.tokens = own;
            new.delay = place.delay;
            new.invariant = place.invariant.of(colour);
            new.at = place.at.filter(|_| size == 1);
        }
        if size > 1 {
            let places = (first..first + size as u32).collect();
            self.draft.sums.push(DraftSum { written: place.written.clone(), places });
        }
        first
    }

    fn unfold_transition(
        &mut self,
        bindings: Bindings<'_>,
        firsts: &[u32],
        sorts: &Sorts,
        built: &mut Built,
    ) -> Result<(), GivenUp> {
        let transition = bindings.transition;
        // The next colour to try, for each variable that has one.
        let mut open: Vec<u64> = vec![0];
        while let Some(next) = open.pop() {
            if self.problems.is_over() {
                return Err(GivenUp);
            }
            if built.work > MAX_WORK {
                let what = format!("the variables of `{}` have too many combinations", transition.written);
                self.too_large(transition.span, &what, &format!("{MAX_WORK} evaluations"));
                return Err(GivenUp);
            }
            let Some(&variable) = bindings.order.get(open.len()) else {
                self.unfold_binding(&bindings, firsts, sorts, built)?;
                continue;
            };
            let slot = &mut bindings.colours[variable as usize];
            *slot = (next < sorts.size(sorts.variables[variable as usize].1)).then_some(next);
            if slot.is_none() {
                continue;
            }
            open.push(next + 1);
            built.work += 1;
            let mut conditions = transition.conditions.iter();
            if !conditions.any(|c| sorts.holds(c, bindings.colours, &mut built.work) == Some(false)) {
                open.push(0);
            }
        }
        Ok(())
    }

    /// Adds the transition of one binding.
    fn unfold_binding(
        &mut self,
        bindings: &Bindings<'_>,
        firsts: &[u32],
        sorts: &Sorts,
        built: &mut Built,
    ) -> Result<(), GivenUp> {
        let Bindings { transition, sorted, colours, .. } = bindings;
        // A condition without variables was not looked at before.
        if transition.conditions.iter().any(|c| sorts.holds(c, colours, &mut built.work) != Some(true)) {
            return Ok(());
        }
        built.transitions += 1;
        if built.transitions > MAX_TRANSITIONS {
            self.too_large(transition.span, "too many transitions", &format!("{MAX_TRANSITIONS} transitions"));
            return Err(GivenUp);
        }
        let values: Vec<(SortId, u64)> =
            sorted.iter().filter_map(|v| Some((sorts.variables[*v as usize].1, colours[*v as usize]?))).collect();
        let name = unfolded_name(&transition.written, &values, sorts, values.is_empty());
        let written = free_name(name, |name| self.draft.find_transition(name).is_some());
        let t = self.draft.transition(&written, transition.span);
        let new = &mut self.draft.transitions[t as usize];
        new.is_declared = true;
        new.interval = transition.interval;
        new.is_urgent = transition.is_urgent;
        new.at = transition.at.filter(|_| values.is_empty());
        for arc in &transition.arcs {
            let tokens = self.tokens_of(&arc.inscription, arc.span, colours, sorts, built)?;
            if let Some((to, moved)) = &arc.moves_to {
                let moved = self.tokens_of(moved, arc.span, colours, sorts, built)?;
                self.unfold_transport(t, arc, &tokens, (firsts[*to], &moved), firsts)?;
            }
            for (colour, number) in tokens {
                let place = firsts[arc.place] + colour as u32;
                self.draft.arc(t, place, arc.kind, number, arc.span);
                let ages = arc.ages.as_ref().filter(|_| arc.moves_to.is_none()).and_then(|ages| ages.of(colour));
                let aged = ages.map(|ages| DraftAgedArc { place, weight: number, ages, to: None });
                self.draft.transitions[t as usize].aged.extend(aged);
            }
        }
        Ok(())
    }

    /// Adds what a transport arc moves: tokens of one colour, which get one colour.
    fn unfold_transport(
        &mut self,
        t: u32,
        arc: &ColouredArc,
        taken: &[(u64, u64)],
        (first, moved): (u32, &[(u64, u64)]),
        firsts: &[u32],
    ) -> Result<(), GivenUp> {
        match (taken, moved) {
            ([], []) => {}
            ([(from, number)], [(to, weight)]) if number == weight => {
                let (place, to) = (firsts[arc.place] + *from as u32, first + *to as u32);
                if let Some(ages) = arc.ages.as_ref().and_then(|ages| ages.of(*from)) {
                    let aged = DraftAgedArc { place, weight: *weight, ages, to: Some(to) };
                    self.draft.transitions[t as usize].aged.push(aged);
                }
                self.draft.arc(t, to, ArcKind::Put, *weight, arc.span);
            }
            ([(_, number)], [(_, weight)]) => {
                let message = format!("the halves of a transport arc have the weights {number} and {weight}");
                self.error("syntax", arc.span, message);
                return Err(GivenUp);
            }
            _ => {
                self.error("syntax", arc.span, "a transport arc must move tokens of one colour, to one colour");
                return Err(GivenUp);
            }
        }
        Ok(())
    }

    /// Returns the tokens of an inscription, and counts them as arcs.
    fn tokens_of(
        &mut self,
        inscription: &ColourTerm,
        span: Span,
        colours: &ColourBinding,
        sorts: &Sorts,
        built: &mut Built,
    ) -> Result<Vec<(u64, u64)>, GivenUp> {
        let Some(tokens) = sorts.multiset(inscription, colours, &mut built.work) else {
            self.too_many_tokens(span);
            return Err(GivenUp);
        };
        built.arcs += tokens.len() as u64;
        if built.arcs > MAX_ARCS {
            self.too_large(span, "too many arcs", &format!("{MAX_ARCS} arcs"));
            return Err(GivenUp);
        }
        Ok(tokens)
    }
}

/// Returns `p(a,1)`, or `p` if there is one colour only.
fn unfolded_name(written: &str, colours: &[(SortId, u64)], sorts: &Sorts, is_single: bool) -> String {
    if is_single {
        return written.to_owned();
    }
    let shown: Vec<String> = colours.iter().map(|(sort, colour)| sorts.shown(*sort, *colour)).collect();
    format!("{written}({})", shown.join(","))
}

/// Makes a name different from those that are taken.
fn free_name(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}
