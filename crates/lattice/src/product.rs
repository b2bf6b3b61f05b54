//! Products of lattices. Order, join, widening and initial element are componentwise.
//!
//! - `Product(A, B, ...)`: one element of each component. A method of a component is called with
//!   the component's position before its name: `p.first_add(3)`, `p.second_access(1)`.
//! - `Vector(A, n)`: `n` elements of one lattice. Its methods have the index of the element as
//!   their first argument: `v.add(2, 3)`.
//!
//! If a component is bottom, the product allows no behaviour. Products with different bottom
//! components are different elements, since a lattice does not say which of its elements is its
//! bottom.

use std::{borrow::Cow, sync::Arc};

use crate::{ArgumentError, Arguments, Lattice, LibraryEntry, Method, Misuse, SlotOrder, method};

pub(crate) const ENTRIES: &[LibraryEntry] = &[
    LibraryEntry {
        name: "Product",
        aliases: &[],
        signature: "Product(A, B, ...)",
        has_dimensions: false,
        member: None,
        help: "One element of each of several lattices. The methods of a component have its position before their names: first_add.",
        laws: "Order and join: component by component.",
        example: "extern Pool = PowerSet(8);\nextern Both = Product(Pool, Interval);\nBoth b;\n// guard: b.first_contains(3)    \
                  update: b.first_add(3)",
        make: product,
    },
    LibraryEntry {
        name: "Vector",
        aliases: &["Map"],
        signature: "Vector(A, size)",
        has_dimensions: false,
        member: None,
        help: "Elements 0 to size - 1 of one lattice. Methods have the index of the element as their first argument.",
        laws: "Order and join: element by element.",
        example: "extern Pool = PowerSet(8);\nextern Pools = Vector(Pool, 3);\nPools pools;\n// guard: pools.contains(i, 3)    \
                  update: pools.add(i, 3)",
        make: vector,
    },
];

/// The positions of a product's components, as prefixes of method names.
const POSITIONS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/// The greatest number of integers of an element.
const MAX_WIDTH: usize = 1 << 20;

#[derive(Debug)]
struct Components {
    name: String,
    /// Each component with its offset.
    components: Vec<(usize, Arc<dyn Lattice>)>,
    width: usize,
    methods: Vec<Method>,
    /// The component and its method for each method of the product; the component of a vector is an
    /// argument.
    calls: Vec<(Option<usize>, usize)>,
}

impl Components {
    fn new(name: String, lattices: impl Iterator<Item = Arc<dyn Lattice>>) -> Result<Components, ArgumentError> {
        let mut all = Components { name, components: Vec::new(), width: 0, methods: Vec::new(), calls: Vec::new() };
        for lattice in lattices {
            let width = lattice.width();
            all.components.push((all.width, lattice));
            all.width = all.width.saturating_add(width);
            if all.width > MAX_WIDTH {
                return Err(ArgumentError::TooWide { max: MAX_WIDTH });
            }
        }
        Ok(all)
    }

    /// Enumerates the components of an element.
    fn each<'e>(&'e self, element: &'e [i32]) -> impl Iterator<Item = (&'e dyn Lattice, &'e [i32])> {
        self.components.iter().map(|(at, lattice)| (&**lattice, &element[*at..*at + lattice.width()]))
    }

    /// Returns the component of an integer, and which of its integers that is.
    fn component(&self, slot: usize) -> (&dyn Lattice, usize) {
        let part = self.components.partition_point(|(at, _)| *at <= slot) - 1;
        let (at, lattice) = &self.components[part];
        (&**lattice, slot - at)
    }

    fn combine(&self, into: &mut [i32], other: &[i32], f: impl Fn(&dyn Lattice, &mut [i32], &[i32]) -> bool) -> bool {
        let mut changes = false;
        for (at, lattice) in &self.components {
            let slots = *at..*at + lattice.width();
            changes |= f(&**lattice, &mut into[slots.clone()], &other[slots]);
        }
        changes
    }
}

fn product(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.at_most(0)?;
    let lattices = arguments.lattices;
    if !(2..=POSITIONS.len()).contains(&lattices.len()) {
        return Err(ArgumentError::ComponentCount { max: POSITIONS.len(), given: lattices.len() });
    }
    let names: Vec<String> = lattices.iter().map(|lattice| lattice.name()).collect();
    let mut all = Components::new(format!("Product({})", names.join(", ")), lattices.iter().cloned())?;
    for (part, (lattice, place)) in lattices.iter().zip(POSITIONS).enumerate() {
        for (number, method) in lattice.methods().iter().enumerate() {
            let name = Cow::Owned(format!("{place}_{}", method.name));
            all.methods.push(Method { name, ..method.clone() });
            all.calls.push((Some(part), number));
        }
    }
    Ok(Arc::new(all))
}

fn vector(arguments: &Arguments<'_>) -> Result<Arc<dyn Lattice>, ArgumentError> {
    arguments.at_most(1)?;
    let [lattice] = arguments.lattices else {
        return Err(ArgumentError::NotOneLattice { given: arguments.lattices.len() });
    };
    let size = arguments.value(0, "size", 1, 1 << 16)? as usize;
    let name = format!("Vector({}, {size})", lattice.name());
    let mut all = Components::new(name, std::iter::repeat_n(Arc::clone(lattice), size))?;
    for (number, method) in lattice.methods().iter().enumerate() {
        let parameters = std::iter::once("index").chain(method.parameters.iter().copied()).collect();
        all.methods.push(Method { parameters, ..method.clone() });
        all.calls.push((None, number));
    }
    Ok(Arc::new(all))
}

impl Lattice for Components {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn range(&self, slot: usize) -> (i32, i32) {
        let (lattice, slot) = self.component(slot);
        lattice.range(slot)
    }

    fn initial(&self, out: &mut [i32]) {
        for (at, lattice) in &self.components {
            lattice.initial(&mut out[*at..*at + lattice.width()]);
        }
    }

    fn leq(&self, a: &[i32], b: &[i32]) -> bool {
        self.each(a).zip(self.each(b)).all(|((lattice, a), (_, b))| lattice.leq(a, b))
    }

    fn slot_order(&self, slot: usize) -> Option<SlotOrder> {
        let (lattice, slot) = self.component(slot);
        lattice.slot_order(slot)
    }

    fn join(&self, into: &mut [i32], other: &[i32]) -> bool {
        self.combine(into, other, |lattice, into, other| lattice.join(into, other))
    }

    fn widen(&self, into: &mut [i32], other: &[i32], thresholds: &[i32]) -> bool {
        self.combine(into, other, |lattice, into, other| lattice.widen(into, other, thresholds))
    }

    fn is_bottom(&self, element: &[i32]) -> bool {
        self.each(element).any(|(lattice, part)| lattice.is_bottom(part))
    }

    fn is_of_user(&self) -> bool {
        self.components.iter().any(|(_, lattice)| lattice.is_of_user())
    }

    fn methods(&self) -> &[Method] {
        &self.methods
    }

    fn changing(&self, method: usize) -> Option<usize> {
        let (part, number) = *self.calls.get(method)?;
        let changing = self.components.get(part.unwrap_or(0))?.1.changing(number)?;
        self.calls.iter().position(|call| *call == (part, changing))
    }

    fn call(&self, method: usize, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let Some(&(part, number)) = self.calls.get(method) else { return Ok(0) };
        let (part, skip) = match part {
            Some(part) => (part, 0),
            None => (method::index(args, 0, self.components.len())?, 1),
        };
        let (at, lattice) = &self.components[part];
        let result = lattice.call(number, &mut this[*at..*at + lattice.width()], args.get(skip..).unwrap_or(&[]));
        result.map_err(|misuse| match misuse {
            Misuse::Argument { argument, low, high } => Misuse::Argument { argument: argument + skip, low, high },
            Misuse::Failed(_) => misuse,
        })
    }

    fn show(&self, element: &[i32]) -> String {
        let components: Vec<String> = self.each(element).map(|(lattice, part)| lattice.show(part)).collect();
        format!("<{}>", components.join("; "))
    }

    fn sample(&self, random: &mut dyn FnMut(u32) -> u32, out: &mut [i32]) {
        for (at, lattice) in &self.components {
            lattice.sample(random, &mut out[*at..*at + lattice.width()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;

    fn make(name: &str, values: &[i32], lattices: &[Arc<dyn Lattice>]) -> Arc<dyn Lattice> {
        let make = Library::standard().find(name).unwrap().make;
        make(&Arguments { values, lattices, ..Arguments::default() }).unwrap()
    }

    fn call(lattice: &dyn Lattice, name: &str, this: &mut [i32], args: &[i32]) -> Result<i32, Misuse> {
        let method = lattice.methods().iter().position(|method| method.name == name).unwrap();
        lattice.call(method, this, args)
    }

    #[test]
    fn methods_of_components() {
        let both = make("Product", &[], &[make("PowerSet", &[40], &[]), make("DiscreteClock", &[3], &[])]);
        assert_eq!(both.name(), "Product(PowerSet(40), DiscreteClock(3))");
        assert_eq!((both.width(), both.range(1), both.range(3)), (4, (0, 255), (0, 4)));
        let mut element = vec![0; 4];
        both.initial(&mut element);
        call(&*both, "first_add", &mut element, &[35]).unwrap();
        call(&*both, "second_up", &mut element, &[]).unwrap();
        assert_eq!(both.show(&element), "<{35}; >=0>");
    }

    #[test]
    fn methods_take_an_index() {
        let pools = make("Map", &[3], &[make("PowerSet", &[4], &[])]);
        let mut element = vec![0; 3];
        call(&*pools, "add", &mut element, &[2, 1]).unwrap();
        assert_eq!(pools.show(&element), "<{}; {}; {1}>");
        assert_eq!(call(&*pools, "add", &mut element, &[3, 1]), Err(Misuse::Argument { argument: 0, low: 0, high: 2 }));
        assert_eq!(call(&*pools, "add", &mut element, &[2, 4]), Err(Misuse::Argument { argument: 1, low: 0, high: 3 }));
    }
}
