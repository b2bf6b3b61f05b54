//! The lattices of the library once more, as classes of the user: elements are opaque, and all that
//! is known of them is what the interface says.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use lattice::{
    Arguments, Lattice, Library, LibraryEntry, ReturnType, Term, TermOp, Trend,
    user::{Access, ClassArguments, Element, Interface, Protection, UserClass, UserError, UserLattice, UserMethod},
};

/// What a mirror does differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manners {
    /// It has hashes.
    #[default]
    Hashed,
    /// It has keys only.
    Keyed,
    /// It has neither.
    Bare,
    /// It says that nothing can be changed.
    Immutable,
}

/// A lattice of the library as a class.
pub struct Mirror {
    entry: LibraryEntry,
    manners: Manners,
    /// Counts the calls of the user's functions, and says which of them fails.
    calls: Arc<AtomicUsize>,
    fails_at: Option<usize>,
}

/// All lattices of the library that can be used by methods alone.
pub const NAMES: [&str; 14] = [
    "UnionBitVector",
    "IntersectionBitVector",
    "PowerSet",
    "PresentAbsent",
    "MaxInteger",
    "MinInteger",
    "IntRange",
    "MustCache",
    "MayCache",
    "Cache",
    "AbstractCache",
    "LRUCache",
    "DiscreteClock",
    "Zone",
];

/// Returns the library in which all these are classes.
pub fn mirrored(manners: Manners) -> Library {
    mirrored_until(manners, None, &Arc::default())
}

/// Returns the same, with a function that fails when it is the `fails_at`-th to be called.
pub fn mirrored_until(manners: Manners, fails_at: Option<usize>, calls: &Arc<AtomicUsize>) -> Library {
    NAMES.iter().fold(Library::standard(), |library, name| {
        let mut entry = *Library::standard().find(name).unwrap();
        entry.name = name;
        library.with_class(Arc::new(Mirror { entry, manners, calls: calls.clone(), fails_at }))
    })
}

/// What is called beyond the methods of the library.
#[derive(Clone, Copy)]
enum Extra {
    Add,
    Sub,
    Get,
    Set,
}

struct Mirrored {
    lattice: Arc<dyn Lattice>,
    manners: Manners,
    dimensions: Vec<usize>,
    extras: Vec<Extra>,
    calls: Arc<AtomicUsize>,
    fails_at: Option<usize>,
}

impl Mirror {
    fn lattice(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn Lattice>, UserError> {
        let ClassArguments { values, dimensions, largest, .. } = *arguments;
        let arguments = Arguments { values, dimensions, largest, ..Arguments::default() };
        (self.entry.make)(&arguments).map_err(|error| UserError::new(error.to_string()))
    }

    /// What extra methods there are, after those of the library.
    fn extras(lattice: &dyn Lattice) -> Vec<Extra> {
        match (lattice.numeric(), lattice.bits()) {
            (Some(_), _) => vec![Extra::Add, Extra::Sub],
            (None, []) => Vec::new(),
            (None, _) => vec![Extra::Get, Extra::Set],
        }
    }
}

impl UserClass for Mirror {
    fn name(&self) -> &str {
        self.entry.name
    }

    fn interface(&self) -> Interface {
        let specimen = self.entry.specimen().unwrap();
        let of_library = specimen.methods().iter().map(|method| UserMethod {
            result: method.result,
            trend: method.trend,
            monotone: true,
            ..UserMethod::new(method.name.clone(), method.parameters.len())
        });
        let mut methods: Vec<UserMethod> = of_library.collect();
        let own = methods.len();
        let operators = specimen.operators();
        let mut interface = Interface {
            has_dimensions: self.entry.has_dimensions,
            fields: specimen.fields().iter().map(|(name, method)| (name.to_string(), *method)).collect(),
            value: operators.and_then(|o| o.value),
            set: operators.and_then(|o| o.set),
            add: operators.and_then(|o| o.add),
            sub: operators.and_then(|o| o.sub),
            ..Interface::default()
        };
        for (number, extra) in Mirror::extras(&*specimen).into_iter().enumerate() {
            let trend = if matches!(extra, Extra::Get) { specimen.bit_trend() } else { Trend::Varies };
            let place = match extra {
                Extra::Add => &mut interface.add,
                Extra::Sub => &mut interface.sub,
                Extra::Get => &mut interface.get_item,
                Extra::Set => &mut interface.set_item,
            };
            *place = Some(own + number);
            methods.push(UserMethod { trend, monotone: true, ..UserMethod::new("", 1) });
        }
        Interface { methods, ..interface }
    }

    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
        let lattice = self.lattice(arguments)?;
        Ok(Arc::new(Mirrored {
            extras: Mirror::extras(&*lattice),
            lattice,
            manners: self.manners,
            dimensions: arguments.dimensions.iter().map(|n| *n as usize).collect(),
            calls: self.calls.clone(),
            fails_at: self.fails_at,
        }))
    }
}

fn row(element: &Element) -> &Vec<i32> {
    element.downcast_ref().unwrap()
}

impl Mirrored {
    fn count(&self) -> Result<(), UserError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.fails_at == Some(number) { Err(UserError::new(format!("call {number} fails"))) } else { Ok(()) }
    }

    fn extra(&self, extra: Extra, this: &mut [i32], arguments: &[i32]) -> i32 {
        let bit = |arguments: &[i32]| {
            self.dimensions.iter().zip(arguments).fold(0, |at, (size, index)| at * size + *index as usize)
        };
        match extra {
            Extra::Add | Extra::Sub => {
                let op = if matches!(extra, Extra::Add) { TermOp::Add } else { TermOp::Sub };
                let ops = [TermOp::Member(0), TermOp::Const(arguments[0]), op];
                let numeric = self.lattice.numeric().unwrap();
                numeric.assign(this, 0, &Term { ops: &ops, values: &[] });
                0
            }
            Extra::Get => this[bit(arguments) / 32] >> (bit(arguments) % 32) & 1,
            Extra::Set => {
                let (value, indices) = arguments.split_last().unwrap();
                let mask = 1 << (bit(indices) % 32);
                let word = &mut this[bit(indices) / 32];
                *word = if *value == 0 { *word & !mask } else { *word | mask };
                0
            }
        }
    }
}

impl UserLattice for Mirrored {
    fn initial(&self) -> Result<Element, UserError> {
        self.count()?;
        let mut element = vec![0; self.lattice.width()];
        self.lattice.initial(&mut element);
        Ok(Arc::new(element))
    }

    fn copy(&self, element: &Element) -> Result<Element, UserError> {
        self.count()?;
        Ok(Arc::new(row(element).clone()))
    }

    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
        self.count()?;
        let mut join = row(a).clone();
        self.lattice.join(&mut join, row(b));
        Ok(Arc::new(join))
    }

    fn covers(&self, large: &Element, small: &Element) -> Result<bool, UserError> {
        self.count()?;
        Ok(self.lattice.leq(row(small), row(large)))
    }

    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
        self.count()?;
        Ok(row(a) == row(b))
    }

    fn hash(&self, element: &Element) -> Result<Option<u64>, UserError> {
        self.count()?;
        let sum = row(element).iter().fold(0_u64, |sum, n| sum.wrapping_mul(31).wrapping_add(u64::from(*n as u32)));
        Ok(matches!(self.manners, Manners::Hashed | Manners::Immutable).then_some(sum))
    }

    fn key(&self, element: &Element) -> Option<Vec<u8>> {
        (self.manners == Manners::Keyed).then(|| row(element).iter().flat_map(|n| n.to_le_bytes()).collect())
    }

    fn widen(&self, old: &Element, new: &Element, thresholds: &[i32]) -> Result<Option<Element>, UserError> {
        self.count()?;
        let mut widened = row(old).clone();
        self.lattice.widen(&mut widened, row(new), thresholds);
        Ok(Some(Arc::new(widened)))
    }

    fn bottom(&self) -> Result<Option<Element>, UserError> {
        self.count()?;
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below.max(1)
        };
        let mut element = vec![0; self.lattice.width()];
        let mut found = (0..500).map(|_| {
            self.lattice.sample(&mut random, &mut element);
            element.clone()
        });
        let bottom = found.find(|element| self.lattice.is_bottom(element));
        Ok(bottom.map(|bottom| Arc::new(bottom) as Element))
    }

    fn call(&self, method: usize, this: &mut Element, arguments: &[i32], _: Access) -> Result<Option<i64>, UserError> {
        self.count()?;
        let mut after = row(this).clone();
        let own = self.lattice.methods().len();
        let (result, kind) = match method.checked_sub(own) {
            Some(extra) => (self.extra(self.extras[extra], &mut after, arguments), ReturnType::Int),
            None => {
                let result = self.lattice.call(method, &mut after, arguments);
                let result = result.map_err(|misuse| UserError::new(format!("{misuse:?}")))?;
                (result, self.lattice.methods()[method].result)
            }
        };
        *this = Arc::new(after);
        Ok((kind != ReturnType::Nothing).then_some(result.into()))
    }

    fn show(&self, element: &Element) -> Result<String, UserError> {
        Ok(self.lattice.show(row(element)))
    }

    fn protection(&self) -> Protection {
        if self.manners == Manners::Immutable { Protection::Immutable } else { Protection::Copies }
    }
}
