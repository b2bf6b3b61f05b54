//! Writes a net in TAPAAL's format. Only nets without intervals on places or transitions have that
//! meaning there.

use std::fmt::Write;

use super::write::escaped;
use crate::net::{Interval, Net, Transition};

/// Writes the whole net as one component.
#[must_use]
pub fn text(net: &Net) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <pnml xmlns=\"http://www.informatik.hu-berlin.de/top/pnml/ptNetb\">\n",
    );
    let _ = writeln!(out, "  <net active=\"true\" id=\"{}\" type=\"P/T net\">", attribute(&net.name));
    if let Some(limit) = net.max_tokens {
        let _ =
            writeln!(out, "    <toolspecific tool=\"merkhet\" version=\"1\"><tokens>{limit}</tokens></toolspecific>");
    }
    for (i, place) in net.places.iter().enumerate() {
        let (tokens, invariant) = (place.tokens, invariant(place.invariant));
        let _ =
            write!(out, "    <place id=\"p{i}\" name=\"{}\" initialMarking=\"{tokens}\"", attribute(&place.written));
        let _ = writeln!(out, " invariant=\"{}\"{}/>", attribute(&invariant), position(place.at));
    }
    for (i, t) in net.transitions.iter().enumerate() {
        let _ =
            write!(out, "    <transition id=\"t{i}\" name=\"{}\" urgent=\"{}\"", attribute(&t.written), t.is_urgent);
        let _ = writeln!(out, " player=\"0\" priority=\"0\" infiniteServer=\"false\"{}/>", position(t.at));
    }
    let mut arcs = Arcs { out: &mut out, count: 0 };
    for (i, t) in net.transitions.iter().enumerate() {
        arcs.transition(&format!("t{i}"), t);
    }
    out.push_str("  </net>\n");
    if let Some(limit) = net.max_aged {
        let initial = net.places.iter().map(|p| u64::from(p.tokens)).sum::<u64>();
        let _ = writeln!(out, "  <k-bound bound=\"{}\"/>", u64::from(limit).saturating_sub(initial));
    }
    out.push_str("</pnml>\n");
    out
}

struct Arcs<'a> {
    out: &'a mut String,
    count: usize,
}

impl Arcs<'_> {
    fn transition(&mut self, id: &str, t: &Transition) {
        for (number, arc) in t.aged.iter().enumerate() {
            let from = format!("p{}", arc.place);
            match arc.to {
                None => self.arc(&from, id, "timed", &ages(arc.ages), arc.weight),
                Some(to) => {
                    let inscription = format!("{}:{}", ages(arc.ages), number + 1);
                    self.arc(&from, id, "transport", &inscription, arc.weight);
                    self.arc(id, &format!("p{to}"), "transport", &inscription, arc.weight);
                }
            }
        }
        for arc in &t.takes {
            let aged: u32 = t.aged.iter().filter(|a| a.place == arc.place).map(|a| a.weight).sum();
            if let Some(weight @ 1..) = arc.weight.checked_sub(aged) {
                self.arc(&format!("p{}", arc.place), id, "timed", &ages(Interval::ANY), weight);
            }
        }
        for arc in &t.inhibitors {
            self.arc(&format!("p{}", arc.place), id, "tapnInhibitor", &ages(Interval::ANY), arc.weight);
        }
        for arc in &t.puts {
            let kept: u32 = t.aged.iter().filter(|a| a.to == Some(arc.place)).map(|a| a.weight).sum();
            if let Some(weight @ 1..) = arc.weight.checked_sub(kept) {
                self.arc(id, &format!("p{}", arc.place), "normal", "1", weight);
            }
        }
    }

    fn arc(&mut self, source: &str, target: &str, ty: &str, inscription: &str, weight: u32) {
        let _ = writeln!(
            self.out,
            "    <arc id=\"a{}\" source=\"{source}\" target=\"{target}\" type=\"{ty}\" inscription=\"{inscription}\" \
             weight=\"{weight}\"/>",
            self.count
        );
        self.count += 1;
    }
}

fn ages(i: Interval) -> String {
    let high = i.high.map_or_else(|| "inf".to_owned(), |high| high.to_string());
    format!("{}{},{high}{}", if i.low_open { '(' } else { '[' }, i.low, if i.high_open { ')' } else { ']' })
}

fn invariant(i: Interval) -> String {
    match i.high {
        None => "< inf".to_owned(),
        Some(high) => format!("{} {high}", if i.high_open { "<" } else { "<=" }),
    }
}

fn position(at: Option<(i32, i32)>) -> String {
    at.map_or_else(String::new, |(x, y)| format!(" positionX=\"{x}\" positionY=\"{y}\""))
}

fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace(['\n', '\t'], " ")
}
