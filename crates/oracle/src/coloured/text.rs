//! The net as PNML of the standard's symmetric nets.

use std::fmt::Write;

use super::{Bag, Base, ColouredNet, Component, Condition, Multiset};

pub(super) fn write(net: &ColouredNet) -> String {
    let mut out = String::from(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><name><text>random</text></name>\n",
    );
    out.push_str(&declarations(net));
    out.push_str("<page id=\"page\">\n");
    for (i, (bases, bag)) in net.places.iter().enumerate() {
        let _ = write!(
            out,
            "<place id=\"p{i}\"><name><text>p{i}</text></name><type><structure>{}</structure></type>",
            sort(bases)
        );
        if !bag.is_empty() {
            let _ =
                write!(out, "<hlinitialMarking><structure>{}</structure></hlinitialMarking>", initial(net, bases, bag));
        }
        out.push_str("</place>\n");
    }
    let mut arcs = 0;
    for (i, t) in net.transitions.iter().enumerate() {
        let _ = write!(out, "<transition id=\"t{i}\"><name><text>t{i}</text></name>");
        if let Some(condition) = &t.condition {
            let _ = write!(out, "<condition><structure>{}</structure></condition>", written(net, condition));
        }
        out.push_str("</transition>\n");
        let takes = t.takes.iter().map(|(p, m)| (format!("p{p}"), format!("t{i}"), *p, m));
        let puts = t.puts.iter().map(|(p, m)| (format!("t{i}"), format!("p{p}"), *p, m));
        for (source, target, place, inscription) in takes.chain(puts) {
            let inscription = multiset(net, inscription, &net.places[place].0);
            let _ = writeln!(
                out,
                "<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\">\
                 <hlinscription><structure>{inscription}</structure></hlinscription></arc>"
            );
            arcs += 1;
        }
    }
    out.push_str("</page></net></pnml>\n");
    out
}

/// The declarations of sorts, of the partition if it has two parts, and of variables.
pub(super) fn declarations(net: &ColouredNet) -> String {
    let mut out = String::from("<declaration><structure><declarations>\n");
    for (i, base) in net.bases.iter().enumerate() {
        let inner = match base {
            Base::Dot => "<dot/>".to_owned(),
            Base::Range(low, high) => format!("<finiteintrange start=\"{low}\" end=\"{high}\"/>"),
            Base::Enumeration(count, cyclic) => {
                let tag = if *cyclic { "cyclicenumeration" } else { "finiteenumeration" };
                let constants = (0..*count).map(|v| format!("<feconstant id=\"s{i}c{v}\" name=\"c{v}\"/>"));
                format!("<{tag}>{}</{tag}>", constants.collect::<String>())
            }
        };
        let _ = writeln!(out, "<namedsort id=\"s{i}\" name=\"S{i}\">{inner}</namedsort>");
    }
    if net.parts.contains(&1) {
        out.push_str(&partition(net));
    }
    for (v, base) in net.variables.iter().enumerate() {
        let _ =
            writeln!(out, "<variabledecl id=\"v{v}\" name=\"v{v}\"><usersort declaration=\"s{base}\"/></variabledecl>");
    }
    out.push_str("</declarations></structure></declaration>\n");
    out
}

fn partition(net: &ColouredNet) -> String {
    let mut out = String::from("<partition id=\"part\" name=\"part\"><usersort declaration=\"s1\"/>\n");
    for part in 0..2 {
        let _ = write!(out, "<partitionelement id=\"part{part}\" name=\"part{part}\">");
        for (v, _) in net.parts.iter().enumerate().filter(|(_, own)| **own == part) {
            let _ = write!(out, "<useroperator declaration=\"s1c{v}\"/>");
        }
        out.push_str("</partitionelement>\n");
    }
    out.push_str("</partition>\n");
    out
}

/// The last two of three components are a pair of their own.
pub(super) fn sort(bases: &[usize]) -> String {
    match bases {
        [base] => format!("<usersort declaration=\"s{base}\"/>"),
        [a, rest @ ..] => format!("<productsort><usersort declaration=\"s{a}\"/>{}</productsort>", sort(rest)),
        [] => String::new(),
    }
}

pub(super) fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        [a, rest @ ..] => format!("<tuple><subterm>{a}</subterm><subterm>{}</subterm></tuple>", tuple(rest)),
        [] => String::new(),
    }
}

fn operator(name: &str, parts: &[String]) -> String {
    let parts = parts.iter().map(|part| format!("<subterm>{part}</subterm>"));
    format!("<{name}>{}</{name}>", parts.collect::<String>())
}

pub(super) fn times(number: u64, of: &str) -> String {
    let number = format!("<numberconstant value=\"{number}\"><positive/></numberconstant>");
    operator("numberof", &[number, of.to_owned()])
}

pub(super) fn initial(net: &ColouredNet, bases: &[usize], bag: &Bag) -> String {
    let parts: Vec<String> = bag
        .iter()
        .map(|(colour, number)| {
            let values: Vec<String> =
                bases.iter().zip(colour).map(|(b, v)| component(net, &Component::Value(*v), *b)).collect();
            times(*number, &tuple(&values))
        })
        .collect();
    if parts.len() == 1 { parts[0].clone() } else { operator("add", &parts) }
}

pub(super) fn multiset(net: &ColouredNet, multiset_: &Multiset, bases: &[usize]) -> String {
    let one = |components: &[Component]| {
        let values: Vec<String> = bases.iter().zip(components).map(|(b, c)| component(net, c, *b)).collect();
        tuple(&values)
    };
    match multiset_ {
        Multiset::Times(number, components) => times(*number, &one(components)),
        Multiset::Sum(parts) => {
            operator("add", &parts.iter().map(|part| multiset(net, part, bases)).collect::<Vec<String>>())
        }
        Multiset::Without(components) => {
            let all: Vec<String> = bases.iter().map(|b| component(net, &Component::All, *b)).collect();
            operator("subtract", &[tuple(&all), one(components)])
        }
    }
}

pub(super) fn component(net: &ColouredNet, component: &Component, base: usize) -> String {
    match component {
        Component::All => format!("<all><usersort declaration=\"s{base}\"/></all>"),
        Component::Variable(v) => format!("<variable refvariable=\"v{v}\"/>"),
        Component::Step(v, by) => {
            let name = if *by > 0 { "successor" } else { "predecessor" };
            operator(name, &[format!("<variable refvariable=\"v{v}\"/>")])
        }
        Component::Value(value) => match net.bases[base] {
            Base::Dot => "<dotconstant/>".to_owned(),
            Base::Enumeration(..) => format!("<useroperator declaration=\"s{base}c{value}\"/>"),
            Base::Range(low, high) => format!(
                "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"{low}\" end=\"{high}\"/>\
                 </finiteintrangeconstant>"
            ),
        },
    }
}

pub(super) fn written(net: &ColouredNet, condition: &Condition) -> String {
    match condition {
        Condition::Compare(op, v, other) => {
            let variable = format!("<variable refvariable=\"v{v}\"/>");
            operator(op, &[variable, component(net, other, net.variables[*v])])
        }
        Condition::Parts(op, a, b) => {
            let part = |v: &usize| {
                format!(
                    "<partitionelementof refpartition=\"part\"><subterm><variable refvariable=\"v{v}\"/></subterm>\
                     </partitionelementof>"
                )
            };
            operator(op, &[part(a), part(b)])
        }
        Condition::Connect(op, list) => operator(op, &list.iter().map(|c| written(net, c)).collect::<Vec<String>>()),
    }
}
