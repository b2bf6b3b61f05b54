//! Lattices of the user: numbers of elements, results that are kept, and failures.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use lattice::{
    Arguments, Lattice, LatticeKind, Library, Misuse,
    laws::{self, Law},
    user::{
        Access, ClassArguments, Element, Failures, Interface, Protection, UserClass, UserError, UserFailure,
        UserLattice, UserMethod,
    },
};

/// What a lattice of divisors does wrong, or differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Twist {
    #[default]
    None,
    Hashed,
    Keyed,
    Reports,
    /// A meet that is no lower bound.
    Meet,
    /// `covers` changes an operand.
    Changes,
    /// A copy is not equal to what it was made of.
    Unequal,
}

/// Numbers that are ordered by divisibility. Elements can be changed in place.
#[derive(Clone, Default)]
struct Divisors {
    twist: Twist,
    calls: Arc<AtomicUsize>,
}

fn number(element: &Element) -> u64 {
    *element.downcast_ref::<Mutex<u64>>().unwrap().lock().unwrap()
}

fn element(number: u64) -> Element {
    Arc::new(Mutex::new(number))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl UserClass for Divisors {
    fn name(&self) -> &str {
        "Divisors"
    }

    fn interface(&self) -> Interface {
        Interface { methods: vec![UserMethod::new("multiply", 1), UserMethod::new("get", 0)], ..Interface::default() }
    }

    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
        match arguments.values {
            [] => Ok(Arc::new(self.clone())),
            _ => Err(UserError::new("it takes no arguments")),
        }
    }
}

impl UserLattice for Divisors {
    fn initial(&self) -> Result<Element, UserError> {
        Ok(element(1))
    }

    fn copy(&self, of: &Element) -> Result<Element, UserError> {
        Ok(element(number(of) + u64::from(self.twist == Twist::Unequal)))
    }

    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
        let (a, b) = (number(a), number(b));
        Ok(element(a / gcd(a, b) * b))
    }

    fn covers(&self, large: &Element, small: &Element) -> Result<bool, UserError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let is = number(large).is_multiple_of(number(small));
        if self.twist == Twist::Changes {
            *large.downcast_ref::<Mutex<u64>>().unwrap().lock().unwrap() += 1;
        }
        Ok(is)
    }

    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
        Ok(number(a) == number(b))
    }

    fn hash(&self, of: &Element) -> Result<Option<u64>, UserError> {
        Ok((self.twist == Twist::Hashed).then(|| number(of) % 3))
    }

    fn key(&self, of: &Element) -> Option<Vec<u8>> {
        (self.twist == Twist::Keyed).then(|| number(of).to_string().into_bytes())
    }

    fn meet(&self, a: &Element, b: &Element) -> Result<Option<Element>, UserError> {
        let (a, b) = (number(a), number(b));
        Ok(Some(element(if self.twist == Twist::Meet { a } else { gcd(a, b) })))
    }

    fn call(&self, method: usize, this: &mut Element, arguments: &[i32], _: Access) -> Result<Option<i64>, UserError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut number = this.downcast_ref::<Mutex<u64>>().unwrap().lock().unwrap();
        match (method, arguments) {
            (0, [by]) if *by > 0 => *number *= *by as u64,
            (0, _) => return Err(UserError::new("not by that")),
            _ => {}
        }
        Ok(Some(*number as i64))
    }

    fn show(&self, of: &Element) -> Result<String, UserError> {
        Ok(number(of).to_string())
    }

    fn protection(&self) -> Protection {
        if self.twist == Twist::Reports { Protection::Reports } else { Protection::Copies }
    }
}

/// Returns a lattice, where its failures go, and a counter of calls.
fn make(twist: Twist) -> (Arc<dyn Lattice>, Failures, Arc<AtomicUsize>) {
    let class = Divisors { twist, ..Divisors::default() };
    let calls = class.calls.clone();
    let library = Library::standard().with_class(Arc::new(class));
    let kind = library.resolve(&[], "Divisors").unwrap().unwrap();
    assert!(matches!(kind, LatticeKind::User(_)) && library.has_class(&["a"], "Divisors"));
    (kind.make(&Arguments::default()).unwrap(), library.failures().clone(), calls)
}

/// Returns the number of the element that is made by factors.
fn product(lattice: &dyn Lattice, factors: &[i32]) -> i32 {
    let multiply = lattice.changing(0).unwrap();
    let mut element = [0];
    lattice.initial(&mut element);
    for factor in factors {
        lattice.call(multiply, &mut element, &[*factor]).unwrap();
    }
    element[0]
}

#[test]
fn equal_elements_have_equal_numbers() {
    for twist in [Twist::None, Twist::Hashed, Twist::Keyed, Twist::Reports] {
        let (lattice, failures, _) = make(twist);
        let [six, also_six, four] = [&[2, 3][..], &[3, 2], &[2, 2]].map(|factors| product(&*lattice, factors));
        assert_eq!((six, lattice.show(&[six])), (also_six, "6".to_owned()), "{twist:?}");
        let mut join = [six];
        assert!(lattice.join(&mut join, &[four]));
        assert_eq!((join[0], lattice.show(&join)), (product(&*lattice, &[12]), "12".to_owned()), "{twist:?}");
        assert!(lattice.leq(&[four], &join) && !lattice.leq(&[four], &[six]) && lattice.leq(&[six], &[six]));
        // Those are 1, 2, 3, 4, 6 and 12.
        assert_eq!(lattice.interned().unwrap().count(), 6, "{twist:?}");
        assert!(!failures.stops());
    }
}

#[test]
fn each_question_is_asked_once() {
    let (lattice, _, calls) = make(Twist::Hashed);
    let (four, six) = (product(&*lattice, &[2, 2]), product(&*lattice, &[2, 3]));
    let before = calls.load(Ordering::Relaxed);
    for _ in 0..10 {
        assert!(!lattice.leq(&[four], &[six]));
        assert_eq!(lattice.call(1, &mut [six], &[]), Ok(6));
        assert_eq!(product(&*lattice, &[2, 3]), six);
    }
    assert_eq!(calls.load(Ordering::Relaxed), before + 2);
}

#[test]
fn threads_agree_about_numbers() {
    for twist in [Twist::None, Twist::Hashed, Twist::Keyed] {
        let (lattice, ..) = make(twist);
        let numbers = |from: i32| {
            let lattice = lattice.clone();
            thread::spawn(move || {
                let all = (0..60).map(|i| (i * 7 + from) % 60 + 1);
                let mut all: Vec<(i32, i32)> = all.map(|i| (i, product(&*lattice, &[i]))).collect();
                all.sort_unstable();
                all
            })
        };
        let all: Vec<_> = (0..4).map(|from| numbers(from * 13)).collect();
        let all: Vec<_> = all.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(all.iter().all(|own| *own == all[0]), "{twist:?}");
        assert_eq!(lattice.interned().unwrap().count(), 60, "{twist:?}");
    }
}

#[test]
fn failures_are_of_the_work_in_hand() {
    let (lattice, failures, calls) = make(Twist::None);
    let multiply = lattice.changing(0).unwrap();
    let mut element = [0];
    let fails = |element: &mut [i32]| match lattice.call(multiply, element, &[0]) {
        Err(Misuse::Failed(id)) => failures.get(id).map(|failure| failure.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(fails(&mut element).as_deref(), Some("`multiply(0)` of `Divisors` fails for 1: not by that"));
    let before = calls.load(Ordering::Relaxed);
    assert_eq!(fails(&mut element).as_deref(), Some("`multiply(0)` of `Divisors` fails for 1: not by that"));
    assert_eq!(calls.load(Ordering::Relaxed), before, "it was asked again");
    // A method that fails is an error of the model that calls it.
    assert!(!failures.stops() && failures.reason().is_none());
    failures.begin();
    fails(&mut element);
    assert_eq!(calls.load(Ordering::Relaxed), before + 1, "it was not asked again");
    // Reading must not change the element.
    let read = lattice.call(0, &mut element, &[3]);
    let Err(Misuse::Failed(id)) = read else { panic!("{read:?}") };
    let UserFailure { function, error, .. } = failures.get(id).unwrap();
    assert_eq!(
        (function.as_str(), error.message.as_str()),
        ("`multiply(3)` of `Divisors`", "it changes the element, which it must not")
    );
    assert_eq!(element, [0]);
}

#[test]
fn an_order_that_changes_elements_stops_the_work() {
    let (lattice, failures, calls) = make(Twist::Changes);
    let (two, four) = (product(&*lattice, &[2]), product(&*lattice, &[4]));
    assert!(!lattice.leq(&[two], &[four]) && failures.stops());
    let text = failures.reason().unwrap().to_string();
    assert_eq!(text, "`covers` of `Divisors` fails for 4 and 2: it changes the element, which it must not");
    // Nothing else is called until the work has ended.
    let before = calls.load(Ordering::Relaxed);
    assert!(!lattice.leq(&[four], &[two]) && calls.load(Ordering::Relaxed) == before);
    assert!(failures.while_stopped(|| !failures.stops()) && failures.stops());
    failures.begin();
    assert!(!failures.stops() && failures.reason().is_none());
}

#[test]
fn elements_that_can_t_be_made_are_named() {
    let library = |twist| Library::standard().with_class(Arc::new(Divisors { twist, ..Divisors::default() }));
    let make = |twist, values: &[i32]| {
        let kind = library(twist).resolve(&["x"], "Divisors").unwrap().unwrap();
        kind.make(&Arguments { values, ..Arguments::default() }).unwrap_err().to_string()
    };
    assert_eq!(make(Twist::None, &[7]), "the constructor of `Divisors(7)` fails: it takes no arguments");
    let text = "the initial element of `Divisors` fails: the copy of an element is not equal to it";
    assert_eq!(make(Twist::Unequal, &[]), text);
}

#[test]
fn laws_are_checked_on_the_elements_that_have_occurred() {
    let mut state = 1_u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut found = |twist| {
        let (lattice, failures, _) = make(twist);
        for factors in [&[2, 3][..], &[2, 2], &[5], &[6, 5]] {
            let six = product(&*lattice, factors);
            lattice.call(1, &mut [six], &[]).unwrap();
        }
        let violations = laws::check(&*lattice, &mut random);
        assert!(!failures.stops(), "{twist:?}");
        violations.into_iter().map(|violation| violation.law).collect::<Vec<_>>()
    };
    assert_eq!(found(Twist::None), []);
    assert_eq!(found(Twist::Meet), [Law::Meet]);
}
