//! A state of a network: the template of each process, with its active location and enabled edges.

use rustc_hash::FxHashMap;
use syntax::{Sources, Tree, ast::Template};

use crate::{
    figure::Figure,
    geometry::{Pt, Rect, Size, pt},
    label::Labels,
    svg::{MARGIN, Sheet, bounds, page},
};

/// The width beyond which the next process is drawn below the others.
const WIDTH: f64 = 1100.0;

/// A process in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveProcess {
    /// Its name.
    pub name: String,
    /// The index of its template.
    pub template: usize,
    /// The index of its location in the template.
    pub location: usize,
    /// The indices of its enabled edges in the template, those after branchpoints included.
    pub edges: Vec<usize>,
}

/// A template with its geometry, which all its processes share.
struct TemplateFigure<'t> {
    template: &'t Template,
    labels: Labels,
    figure: Figure,
    bounds: Rect,
}

impl<'t> TemplateFigure<'t> {
    fn new(tree: &'t Tree, sources: &Sources, template: &'t Template) -> TemplateFigure<'t> {
        let (labels, figure) = crate::figure(tree, sources, template);
        let bounds = bounds(template, &labels, &figure);
        TemplateFigure { template, labels, figure, bounds }
    }
}

/// Renders a state as one SVG picture: a drawing for each process, side by side while there is
/// room. Active locations and enabled edges have a colour of their own.
///
/// Once the tree's signal is raised, the picture is incomplete.
#[must_use]
pub fn state_svg(tree: &Tree, sources: &Sources, processes: &[ActiveProcess]) -> String {
    let mut body = String::new();
    let mut figures: FxHashMap<usize, TemplateFigure<'_>> = FxHashMap::default();
    let mut all = Rect::at(Pt::default(), Size { w: 2.0 * MARGIN, h: 2.0 * MARGIN });
    // The corner of the next drawing, and the lower end of those beside it.
    let (mut at, mut below) = (pt(MARGIN, MARGIN), MARGIN);
    for process in processes {
        let Some(template) = tree.templates.get(process.template) else { continue };
        if tree.signal.raised().is_some() {
            break;
        }
        let drawn = figures.entry(process.template).or_insert_with(|| TemplateFigure::new(tree, sources, template));
        // The width of the name is known when it is written.
        let mut text = String::new();
        let name = (process.name.clone(), String::new());
        let measured = Sheet { out: &mut text, offset: Pt::default() }.heading(name.clone());
        let width = drawn.bounds.width().max(measured.width());
        if at.x > MARGIN && at.x + width > WIDTH {
            at = pt(MARGIN, below + 2.0 * MARGIN);
        }
        let head = Sheet { out: &mut body, offset: at }.heading(name);
        let corner = pt(at.x, head.max.y + MARGIN);
        let mut end = head.max;
        if !drawn.bounds.is_empty() {
            let mut sheet = Sheet { out: &mut body, offset: corner - drawn.bounds.min };
            sheet.template(tree, drawn.template, &drawn.labels, &drawn.figure, Some(process));
            end = pt(end.x.max(corner.x + drawn.bounds.width()), corner.y + drawn.bounds.height());
        }
        all.add(end);
        below = below.max(end.y);
        at.x += width + 2.0 * MARGIN;
    }
    page((all.max.x + MARGIN).ceil(), (all.max.y + MARGIN).ceil(), &body)
}
