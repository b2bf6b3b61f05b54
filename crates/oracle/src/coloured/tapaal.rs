//! Nets of coloured tokens with ages, as files of TAPAAL.

use std::fmt::Write;

use super::{
    Base, Colour, ColouredNet,
    aged::{AgeSpan, AgedColouredNet, AgesByColour},
    text::{component, declarations, initial, multiset, sort, times, tuple, written},
};

pub(super) fn write(aged: &AgedColouredNet) -> String {
    let net = &aged.net;
    let mut out = String::from("<pnml xmlns=\"http://www.informatik.hu-berlin.de/top/pnml/ptNetb\">\n");
    out.push_str(&declarations(net));
    out.push_str("<net active=\"true\" id=\"random\" type=\"P/T net\">\n");
    for (i, ((bases, bag), invariant)) in net.places.iter().zip(&aged.invariants).enumerate() {
        let tokens: u64 = bag.values().sum();
        let others = limit(invariant.others);
        let _ = write!(out, "<place id=\"p{i}\" name=\"p{i}\" initialMarking=\"{tokens}\" invariant=\"{others}\">");
        let _ = write!(out, "<type><structure>{}</structure></type>", sort(bases));
        out.push_str(&own(net, bases, "colorinvariant", invariant, limit));
        if !bag.is_empty() {
            let bag = initial(net, bases, bag);
            let _ = write!(out, "<hlinitialMarking><structure>{bag}</structure></hlinitialMarking>");
        }
        out.push_str("</place>\n");
    }
    for (i, t) in aged.transitions.iter().enumerate() {
        let _ = write!(out, "<transition id=\"t{i}\" name=\"t{i}\" urgent=\"{}\">", t.is_urgent);
        if let Some(condition) = &t.condition {
            let _ = write!(out, "<condition><structure>{}</structure></condition>", written(net, condition));
        }
        out.push_str("</transition>\n");
        let mut arc = |ends: &str, kind: &str, interval: &str, inner: &str| {
            let _ = writeln!(out, "<arc {ends} type=\"{kind}\" inscription=\"{interval}\" weight=\"1\">{inner}</arc>");
        };
        let inscribed = |text: &str| format!("<hlinscription><structure>{text}</structure></hlinscription>");
        for (number, taking) in t.takes.iter().enumerate() {
            let bases = &net.places[taking.place].0;
            let of = |place: usize, colour: &[_]| {
                let parts = net.places[place].0.iter().zip(colour).map(|(base, c)| component(net, c, *base));
                inscribed(&times(taking.number, &tuple(&parts.collect::<Vec<String>>())))
            };
            let inner = own(net, bases, "colorinterval", &taking.ages, interval) + &of(taking.place, &taking.colour);
            let ends = format!("source=\"p{}\" target=\"t{i}\"", taking.place);
            let shown = interval(taking.ages.others);
            match &taking.moves_to {
                None => arc(&ends, "timed", &shown, &inner),
                Some((to, colour)) => {
                    arc(&ends, "transport", &format!("{shown}:{number}"), &inner);
                    let ends = format!("source=\"t{i}\" target=\"p{to}\"");
                    arc(&ends, "transport", &format!("{shown}:{number}"), &of(*to, colour));
                }
            }
        }
        for (place, tokens) in &t.puts {
            let inner = inscribed(&multiset(net, tokens, &net.places[*place].0));
            arc(&format!("source=\"t{i}\" target=\"p{place}\""), "normal", "1", &inner);
        }
        for place in &t.inhibitors {
            arc(&format!("source=\"p{place}\" target=\"t{i}\""), "tapnInhibitor", "[0,inf)", "");
        }
    }
    out.push_str("</net>\n<k-bound bound=\"8\"/><feature isColored=\"true\" isTimed=\"true\"/></pnml>\n");
    out
}

fn limit((_, high): AgeSpan) -> String {
    high.map_or("&lt; inf".to_owned(), |high| format!("&lt;= {high}"))
}

fn interval((low, high): AgeSpan) -> String {
    high.map_or(format!("[{low},inf)"), |high| format!("[{low},{high}]"))
}

/// The ages of the colour that has its own.
fn own(net: &ColouredNet, bases: &[usize], tag: &str, ages: &AgesByColour, shown: fn(AgeSpan) -> String) -> String {
    let Some((colour, ages)) = &ages.own else { return String::new() };
    let values = named(net, bases, colour).into_iter().map(|value| format!("<color value=\"{value}\"/>"));
    let values = values.collect::<String>();
    let ages = shown(*ages);
    format!("<{tag}><inscription inscription=\"{ages}\"/><colortype name=\"any\">{values}</colortype></{tag}>")
}

/// The identifiers of the components of a colour.
fn named(net: &ColouredNet, bases: &[usize], colour: &Colour) -> Vec<String> {
    let name = |(base, value): (&usize, &i64)| match net.bases[*base] {
        Base::Dot => "dot".to_owned(),
        Base::Enumeration(..) => format!("s{base}c{value}"),
        Base::Range(..) => value.to_string(),
    };
    bases.iter().zip(colour).map(name).collect()
}
