//! The labels of edges, with the defaults that `verifyta` writes for missing ones.

use syntax::{
    Tree,
    ast::{Direction, Edge, Endpoint, ExprId, ExprKind, Template},
    print,
};

/// How assignments are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// `x := 0`, as in text.
    Colon,
    /// `x = 0`, as in the intermediate format.
    Plain,
}

/// The labels of an edge.
pub struct Labels {
    pub guard: String,
    /// `None` without a synchronisation.
    pub sync: Option<String>,
    pub update: String,
}

/// An edge from location to location, with its branch.
#[derive(Clone, Copy)]
pub struct Route {
    /// The edge.
    pub edge: u32,
    /// The edge after the branchpoint, if there is one.
    pub branch: Option<u32>,
    /// The index of the location that it leaves.
    pub source: u32,
    /// The index of the location that it enters.
    pub target: u32,
}

/// The routes of a template, in the order of the text, by which files number edges.
pub fn routes(template: &Template) -> Vec<Route> {
    let mut routes = Vec::new();
    for (edge, stem) in (0..).zip(&template.edges) {
        let Endpoint::Location(source) = stem.source else { continue };
        if let Endpoint::Location(target) = stem.target {
            routes.push(Route { edge, branch: None, source, target });
            continue;
        }
        for (branch, after) in (0..).zip(&template.edges).filter(|(_, after)| after.source == stem.target) {
            if let Endpoint::Location(target) = after.target {
                routes.push(Route { edge, branch: Some(branch), source, target });
            }
        }
    }
    routes
}

/// The labels of an edge and of its branch, which is taken in the same step.
pub fn labels(tree: &Tree, template: &Template, edge: u32, branch: Option<u32>, assignment: Assignment) -> Labels {
    let stem = &template.edges[edge as usize];
    let parts: Vec<&Edge> =
        [Some(stem), branch.map(|branch| &template.edges[branch as usize])].into_iter().flatten().collect();
    let guards: Vec<String> = parts.iter().filter_map(|e| e.guard).map(|e| expression(tree, e)).collect();
    let updates: Vec<String> = parts.iter().flat_map(|e| update(tree, e, assignment)).collect();
    Labels {
        guard: match &guards[..] {
            [] => "1".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(") && (")),
        },
        sync: parts.iter().find_map(|e| sync(tree, e)),
        update: if updates.is_empty() { "1".to_owned() } else { updates.join(", ") },
    }
}

/// An expression on one line.
pub fn expression(tree: &Tree, e: ExprId) -> String {
    joined(&print::expression(tree, e))
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sync(tree: &Tree, edge: &Edge) -> Option<String> {
    if let (Some(event), Some(events)) = (edge.event, &tree.events) {
        return events.names.get(event as usize).map(|name| tree.names.text(name.sym).to_owned());
    }
    edge.sync.map(|(e, direction)| {
        let sign = match direction {
            Direction::Send => "!",
            Direction::Receive => "?",
            Direction::Both => "",
        };
        format!("{}{sign}", expression(tree, e))
    })
}

fn update(tree: &Tree, edge: &Edge, assignment: Assignment) -> Vec<String> {
    if let Some(program) = edge.program {
        return vec![joined(&print::statement(tree, program))];
    }
    let Some(mut rest) = edge.update else { return Vec::new() };
    let one = |e: ExprId| match tree.kind(e) {
        ExprKind::Assign(None, to, value) if assignment == Assignment::Colon => {
            format!("{} := {}", expression(tree, to), expression(tree, value))
        }
        _ => expression(tree, e),
    };
    let mut parts = Vec::new();
    while let ExprKind::Comma(before, last) = tree.kind(rest) {
        parts.push(one(last));
        rest = before;
    }
    parts.push(one(rest));
    parts.reverse();
    parts
}
