//! Scalar sets: the occurrences of their members, and what breaks symmetry.
//!
//! The type rules ensure that members of a scalar set are only compared for equality, assigned,
//! selected and used as indices. Everything else that may distinguish one member from another is
//! detected here during lowering: a set with a distinguished member is *broken*, and its members
//! are not renamed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use syntax::Diagnostic;

use super::Lowerer;
use crate::{
    symmetry::{ScalarSet, SymmetricArray, Symmetry},
    system::{Shape, ShapeSize},
    types::{Ty, TyKind},
};

/// The scalar sets of the model, and the variables and processes that depend on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Scalars {
    sizes: BTreeMap<u32, i32>,
    broken: BTreeSet<u32>,
    /// The process whose variables are being allocated.
    pub owner: Option<u32>,
    objects: Vec<Placed>,
    families: Vec<Family>,
}

/// An allocated variable.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// Its process.
    pub owner: Option<u32>,
    /// The first of its integers, among all variables or among the meta variables.
    pub ints: u32,
    pub meta: bool,
    pub clocks: u32,
    pub channels: u32,
    pub shape: Arc<Shape>,
}

/// A process: its entry in the system line, and the values of the free parameters with their scalar
/// sets.
#[derive(Clone, Debug)]
struct Family {
    entry: u32,
    args: Vec<(Option<u32>, i32)>,
}

/// A step of the access path from a name to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathStep {
    Fixed(u32),
    /// An index by a member of a scalar set, without the member: parts whose paths differ in
    /// members only form an array.
    Member(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ComponentKind {
    Number,
    Clock,
    Channel,
}

/// The parts of an array so far: the members on the path to each, and its position.
type FoundPlaces = (Option<u32>, Vec<(Vec<u32>, u32)>);

impl Scalars {
    /// Returns the sets for lowering a query, which records the sets that it breaks.
    pub(crate) fn for_query(&self) -> Scalars {
        Scalars { sizes: self.sizes.clone(), ..Scalars::default() }
    }

    /// Records the size of a set; a set with different sizes is broken.
    pub(crate) fn has_size(&mut self, set: u32, size: i32) {
        if *self.sizes.entry(set).or_insert(size) != size {
            self.breaks(set);
        }
    }

    /// Records that the members of a set are distinguished.
    pub(super) fn breaks(&mut self, set: u32) {
        self.broken.insert(set);
    }

    /// Returns the sets whose members are distinguished.
    pub(super) fn broken(&self) -> Vec<u32> {
        self.broken.iter().copied().collect()
    }

    /// Records that the members of all sets in a shape are distinguished.
    pub(crate) fn breaks_all(&mut self, shape: &Shape) {
        match shape {
            Shape::Scalar { set, .. } => self.breaks(*set),
            Shape::Array { by, element, .. } => {
                by.iter().for_each(|set| self.breaks(*set));
                self.breaks_all(element);
            }
            Shape::Struct { fields, .. } => fields.iter().for_each(|(_, field)| self.breaks_all(field)),
            _ => {}
        }
    }

    /// Records a constant of this shape in code: it must not contain members, and must be the same
    /// for all members.
    pub(super) fn constant(&mut self, shape: &Shape, values: &[i32]) {
        match shape {
            Shape::Scalar { set, .. } => self.breaks(*set),
            Shape::Array { by, element, .. } => {
                let each = element.size().ints as usize;
                if each == 0 {
                    return;
                }
                let mut parts = values.chunks(each);
                let first = parts.next().unwrap_or_default();
                let differ = parts.any(|part| part != first);
                by.iter().filter(|_| differ).for_each(|set| self.breaks(*set));
                values.chunks(each).for_each(|part| self.constant(element, part));
            }
            Shape::Struct { fields, .. } => {
                let mut rest = values;
                for (_, field) in fields {
                    let (own, others) = rest.split_at((field.size().ints as usize).min(rest.len()));
                    self.constant(field, own);
                    rest = others;
                }
            }
            _ => {}
        }
    }

    /// Records that code lists the elements of an array of this shape one by one.
    pub(super) fn listed(&mut self, shape: &Shape) {
        self.breaks_all(shape);
    }

    /// Records an allocated variable.
    pub(super) fn place(&mut self, object: Placed) {
        if !self.sizes.is_empty() {
            self.objects.push(Placed { owner: self.owner, ..object });
        }
    }

    /// Records a process.
    pub(super) fn process(&mut self, entry: u32, args: Vec<(Option<u32>, i32)>) {
        self.families.push(Family { entry, args });
    }

    /// Returns the set if its members may be renamed, as far as is known.
    fn counts(&self, set: Option<u32>) -> Option<u32> {
        set.filter(|set| !self.broken.contains(set) && self.sizes.get(set).is_some_and(|size| *size > 1))
    }

    /// Returns all parts of the state that renaming members affects. Sets whose parts do not form
    /// complete arrays are broken.
    fn cells(&mut self, locations: u32, variables: u32) -> BTreeMap<(ComponentKind, Vec<PathStep>), FoundPlaces> {
        loop {
            let mut walk = ShapeWalk { scalars: self, key: Vec::new(), members: Vec::new(), found: BTreeMap::new() };
            walk.all(locations, variables);
            let found = walk.found;
            let whole = |key: &[PathStep], parts: usize| {
                let members = key.iter().filter_map(|step| match step {
                    PathStep::Member(set) => Some(self.sizes[set] as usize),
                    PathStep::Fixed(_) => None,
                });
                members.product::<usize>() == parts
            };
            let odd = found.iter().find(|((_, key), (_, parts))| !whole(key, parts.len()));
            let Some(((_, key), _)) = odd else { return found };
            let sets: Vec<u32> = key.iter().filter_map(PathStep::set).collect();
            sets.into_iter().for_each(|set| self.breaks(set));
        }
    }
}

impl PathStep {
    fn set(&self) -> Option<u32> {
        match self {
            PathStep::Member(set) => Some(*set),
            PathStep::Fixed(_) => None,
        }
    }
}

/// Visits all parts of all variables.
struct ShapeWalk<'s> {
    scalars: &'s Scalars,
    key: Vec<PathStep>,
    members: Vec<u32>,
    found: BTreeMap<(ComponentKind, Vec<PathStep>), FoundPlaces>,
}

impl ShapeWalk<'_> {
    fn all(&mut self, locations: u32, variables: u32) {
        let scalars = self.scalars;
        for process in 0..locations {
            self.start(Some(process), u32::MAX);
            self.part(ComponentKind::Number, process, None);
        }
        // Variables are numbered for each owner: those of processes of one entry correspond.
        let mut numbers: BTreeMap<Option<u32>, u32> = BTreeMap::new();
        for object in &scalars.objects {
            let number = numbers.entry(object.owner).or_default();
            self.start(object.owner, *number);
            *number += 1;
            let ints = locations + object.ints + if object.meta { variables } else { 0 };
            self.value(&object.shape, &mut ShapeSize { ints, clocks: object.clocks, channels: object.channels });
        }
    }

    /// Starts the path to a variable of a process, or to a global one.
    fn start(&mut self, owner: Option<u32>, number: u32) {
        self.key.clear();
        self.members.clear();
        self.key.push(PathStep::Fixed(u32::from(owner.is_some())));
        if let Some(family) = owner.and_then(|process| self.scalars.families.get(process as usize)) {
            self.key.push(PathStep::Fixed(family.entry));
            for &(set, value) in &family.args {
                self.step(set, value as u32);
            }
        }
        self.key.push(PathStep::Fixed(number));
    }

    fn step(&mut self, set: Option<u32>, at: u32) {
        match self.scalars.counts(set) {
            Some(set) => {
                self.key.push(PathStep::Member(set));
                self.members.push(at);
            }
            None => self.key.push(PathStep::Fixed(at)),
        }
    }

    fn value(&mut self, shape: &Shape, at: &mut ShapeSize) {
        match shape {
            Shape::Array { length, by, element, .. } => {
                for i in 0..*length {
                    let (steps, members) = (self.key.len(), self.members.len());
                    self.step(*by, i);
                    self.value(element, at);
                    self.key.truncate(steps);
                    self.members.truncate(members);
                }
            }
            Shape::Struct { fields, .. } => {
                for ((_, field), i) in fields.iter().zip(0..) {
                    self.key.push(PathStep::Fixed(i));
                    self.value(field, at);
                    self.key.pop();
                }
            }
            Shape::Clock => {
                self.part(ComponentKind::Clock, at.clocks, None);
                at.clocks += 1;
            }
            Shape::Channel => {
                self.part(ComponentKind::Channel, at.channels, None);
                at.channels += 1;
            }
            Shape::Opaque => {}
            Shape::Double => at.ints += 2,
            Shape::Lattice { width, .. } => at.ints += width,
            Shape::Int(..) | Shape::Bool | Shape::Scalar { .. } => {
                let holds = if let Shape::Scalar { set, .. } = shape { Some(*set) } else { None };
                self.part(ComponentKind::Number, at.ints, self.scalars.counts(holds));
                at.ints += 1;
            }
        }
    }

    fn part(&mut self, part: ComponentKind, place: u32, holds: Option<u32>) {
        if self.members.is_empty() && holds.is_none() {
            return;
        }
        let (_, places) = self.found.entry((part, self.key.clone())).or_insert((holds, Vec::new()));
        places.push((self.members.clone(), place));
    }
}

impl Lowerer<'_> {
    /// Returns the scalar set of a type.
    pub(super) fn scalar_set(&self, ty: Ty) -> Option<u32> {
        match self.checked.types.kind(ty) {
            TyKind::Scalar(set, _) => Some(*set),
            _ => None,
        }
    }

    /// Computes the symmetry of the system. The code must be linked.
    pub(super) fn symmetry(&mut self) -> Symmetry {
        let (locations, variables) = (self.system.processes.len() as u32, self.s.variables);
        // A model with errors may lack parts. Elements of lattices are not renamed.
        if !self.system.lattices.is_empty()
            || self.s.scalars.sizes.is_empty()
            || self.diagnostics.iter().any(Diagnostic::is_error)
        {
            return Symmetry::default();
        }
        let found = self.s.scalars.cells(locations, variables);
        let mut sets: BTreeSet<u32> = BTreeSet::new();
        for ((_, key), (holds, _)) in &found {
            sets.extend(key.iter().filter_map(PathStep::set).chain(*holds));
        }
        let numbers: BTreeMap<u32, u32> = sets.iter().copied().zip(0..).collect();
        let sizes = &self.s.scalars.sizes;
        let mut symmetry = Symmetry {
            sets: sets.iter().map(|set| ScalarSet { number: *set, size: sizes[set] as u32 }).collect(),
            ..Symmetry::default()
        };
        for ((part, key), (holds, mut places)) in found {
            places.sort_unstable();
            let cell = SymmetricArray {
                by: key.iter().filter_map(PathStep::set).map(|set| numbers[&set]).collect(),
                holds: holds.map(|set| numbers[&set]),
                places: places.into_iter().map(|(_, place)| place).collect(),
            };
            match part {
                ComponentKind::Number => symmetry.row.push(cell),
                ComponentKind::Clock => symmetry.clocks.push(cell),
                ComponentKind::Channel => symmetry.channels.push(cell),
            }
        }
        // Variables that never change were used as constants.
        let known = self.s.frozen.iter().zip(locations..).filter(|(frozen, _)| **frozen).map(|(_, place)| place);
        symmetry.confirmed(&self.system, &known.collect::<Vec<_>>())
    }
}
