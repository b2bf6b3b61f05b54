//! Lattices that are classes of Python.

use std::sync::Arc;

use merkhet::user::{
    Access, ClassArguments, Element, ElementConstraint, Interface, Protection, Resolver, ReturnType, Trend, UserClass,
    UserError, UserLattice, UserMethod,
};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBool, PyInt, PyTuple},
};

/// An object of Python, as an element.
pub struct Object(pub Py<PyAny>);

/// Wraps an object as an element.
fn element(object: Bound<'_, PyAny>) -> Element {
    Arc::new(Object(object.unbind()))
}

/// Returns the object of an element.
pub fn object<'py>(py: Python<'py>, element: &Element) -> Result<Bound<'py, PyAny>, UserError> {
    let object = element.downcast_ref::<Object>().ok_or_else(|| UserError::new("this is no object of Python"))?;
    Ok(object.0.bind(py).clone())
}

/// Returns an exception as an error, which comes back with the answer.
pub fn failed(py: Python<'_>, exception: PyErr) -> UserError {
    let message = exception.value(py).to_string();
    let kind = exception.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    let message = if message.is_empty() { kind } else { format!("{kind}: {message}") };
    let error = UserError::new(message);
    // What is wrong with a result was not raised anywhere.
    if exception.traceback(py).is_none() { error } else { error.with_payload(Arc::new(exception)) }
}

/// Calls Python. An exception is an error.
pub fn call<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, UserError> {
    Python::attach(|py| work(py).map_err(|exception| failed(py, exception)))
}

/// A truth value, and nothing else.
pub fn truth(result: &Bound<'_, PyAny>, what: &str) -> PyResult<bool> {
    if result.is_instance_of::<PyBool>() {
        return result.extract();
    }
    Err(nonsense(result, what, "a truth value"))
}

/// The error for a result that makes no sense.
pub fn nonsense(result: &Bound<'_, PyAny>, what: &str, expected: &str) -> PyErr {
    let kind = result.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let value = result.repr().map_or_else(|_| String::new(), |text| format!(" {text:.40}"));
    PyTypeError::new_err(format!("{what} returns the `{kind}`{value}, not {expected}"))
}

/// A class with its description, as `merkhet._lattices.describe` makes it.
pub struct PythonClass {
    name: String,
    description: Py<PyAny>,
}

impl PythonClass {
    /// Describes a class that a model finds by a name.
    pub fn new(py: Python<'_>, name: &str, class: &Bound<'_, PyAny>) -> PyResult<PythonClass> {
        let description = py.import("merkhet._lattices")?.getattr("describe")?.call1((class,))?;
        Ok(PythonClass { name: name.to_owned(), description: description.unbind() })
    }

    fn read(&self, py: Python<'_>) -> PyResult<Interface> {
        let description = self.description.bind(py);
        let index = |name: &str| -> PyResult<Option<usize>> { description.getattr(name)?.extract() };
        let mut methods = Vec::new();
        for method in description.getattr("methods")?.try_iter()? {
            let method = method?;
            let text = |name: &str| -> PyResult<String> { method.getattr(name)?.extract() };
            let result = match text("result")?.as_str() {
                "nothing" => ReturnType::Nothing,
                "bool" => ReturnType::Bool,
                _ => ReturnType::Int,
            };
            let trend = match text("trend")?.as_str() {
                "rises" => Trend::Rises,
                "falls" => Trend::Falls,
                _ => Trend::Varies,
            };
            methods.push(UserMethod {
                name: text("name")?,
                parameters: method.getattr("parameters")?.extract()?,
                optional: method.getattr("optional")?.extract()?,
                result,
                trend,
                monotone: method.getattr("monotone")?.extract()?,
            });
        }
        Ok(Interface {
            methods,
            has_dimensions: description.getattr("has_dimensions")?.extract()?,
            fields: description.getattr("fields")?.extract()?,
            value: index("value")?,
            set: index("set")?,
            add: index("add")?,
            sub: index("sub")?,
            add_element: index("add_element")?,
            sub_element: index("sub_element")?,
            get_item: index("get_item")?,
            set_item: index("set_item")?,
            delay: index("delay")?,
            delay_is_inclusive: description.getattr("delay_is_inclusive")?.extract()?,
            has_clocks: description.getattr("has_clocks")?.extract()?,
        })
    }
}

impl UserClass for PythonClass {
    fn name(&self) -> &str {
        &self.name
    }

    fn interface(&self) -> Interface {
        // The description was made by the package, and has these attributes.
        Python::attach(|py| self.read(py)).unwrap_or_default()
    }

    fn place(&self, method: &str) -> Option<String> {
        Python::attach(|py| self.description.bind(py).call_method1("place", (method,)).ok()?.extract().ok()?)
    }

    fn make(&self, arguments: &ClassArguments<'_>) -> Result<Arc<dyn UserLattice>, UserError> {
        call(|py| {
            let values = PyTuple::new(py, arguments.values)?;
            let dimensions: Vec<u32> = arguments.dimensions.to_vec();
            let all = (values, dimensions, arguments.largest, arguments.clocks.to_vec());
            let made = self.description.bind(py).call_method1("make", all)?;
            let optional = |name: &str| -> PyResult<Option<Py<PyAny>>> {
                let found = made.getattr(name)?;
                Ok((!found.is_none()).then(|| found.unbind()))
            };
            let needed = |name: &str| -> PyResult<Py<PyAny>> { Ok(made.getattr(name)?.unbind()) };
            let lattice = PythonLattice {
                class: self.name.clone(),
                type_of: needed("type")?,
                initial: needed("initial")?,
                copy: needed("copy")?,
                join: needed("join")?,
                covers: optional("covers")?,
                equals: needed("equals")?,
                hash: optional("hash")?,
                key: optional("key")?,
                widen: optional("widen")?,
                meet: optional("meet")?,
                bottom: optional("bottom")?,
                constrain: needed("constrain")?,
                set_clock: needed("set_clock")?,
                is_empty: optional("is_empty")?,
                show: needed("show")?,
                methods: made.getattr("methods")?.extract()?,
                immutable: made.getattr("immutable")?.extract()?,
            };
            Ok(Arc::new(lattice) as Arc<dyn UserLattice>)
        })
    }
}

/// Returns what finds classes that were not registered: an importer, if imports are allowed.
pub fn resolver(importer: Option<Py<PyAny>>) -> Resolver {
    Arc::new(move |name: &str| {
        if !name.contains('.') {
            return None;
        }
        let Some(importer) = &importer else {
            let why =
                "a class of Python is imported only with `allow_import=True`, or `python -m merkhet --allow-import`";
            return Some(Err(UserError::new(why)));
        };
        Some(call(|py| {
            let class = importer.bind(py).call1((name,))?;
            Ok(Arc::new(PythonClass::new(py, name, &class)?) as Arc<dyn UserClass>)
        }))
    })
}

/// A class with its arguments: the functions that are called for its elements.
struct PythonLattice {
    class: String,
    type_of: Py<PyAny>,
    initial: Py<PyAny>,
    copy: Py<PyAny>,
    join: Py<PyAny>,
    covers: Option<Py<PyAny>>,
    equals: Py<PyAny>,
    hash: Option<Py<PyAny>>,
    key: Option<Py<PyAny>>,
    widen: Option<Py<PyAny>>,
    meet: Option<Py<PyAny>>,
    bottom: Option<Py<PyAny>>,
    constrain: Py<PyAny>,
    set_clock: Py<PyAny>,
    is_empty: Option<Py<PyAny>>,
    show: Py<PyAny>,
    methods: Vec<Py<PyAny>>,
    immutable: bool,
}

impl PythonLattice {
    /// An element, which has to be an object of the class.
    fn checked(&self, py: Python<'_>, result: Bound<'_, PyAny>, what: &str) -> PyResult<Element> {
        if result.is_instance(self.type_of.bind(py))? {
            return Ok(element(result));
        }
        Err(nonsense(&result, &format!("`{what}`"), &format!("an element of `{}`", self.class)))
    }

    /// Calls a function that changes an element in place, or returns what it becomes.
    fn change<'py>(
        &self,
        py: Python<'py>,
        function: &Py<PyAny>,
        this: &mut Element,
        given: impl FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>>,
    ) -> Result<(), UserError> {
        let before = object(py, this)?;
        let result = given(before).and_then(|all| function.bind(py).call1(all));
        let changed = result.and_then(|result| Ok(result.is_instance(self.type_of.bind(py))?.then_some(result)));
        if let Some(result) = changed.map_err(|exception| failed(py, exception))? {
            *this = element(result);
        }
        Ok(())
    }

    /// Calls a function of two elements, if there is one.
    fn of_two(
        &self,
        function: Option<&Py<PyAny>>,
        what: &str,
        pair: [&Element; 2],
    ) -> Result<Option<Element>, UserError> {
        let Some(function) = function else { return Ok(None) };
        Python::attach(|py| {
            let [a, b] = [object(py, pair[0])?, object(py, pair[1])?];
            let result = function.bind(py).call1((a, b)).and_then(|result| self.checked(py, result, what));
            result.map(Some).map_err(|exception| failed(py, exception))
        })
    }
}

impl UserLattice for PythonLattice {
    fn initial(&self) -> Result<Element, UserError> {
        call(|py| self.checked(py, self.initial.bind(py).call0()?, "__init__"))
    }

    fn copy(&self, e: &Element) -> Result<Element, UserError> {
        Python::attach(|py| {
            let e = object(py, e)?;
            let copied = self.copy.bind(py).call1((e,)).and_then(|copied| self.checked(py, copied, "__deepcopy__"));
            copied.map_err(|exception| failed(py, exception))
        })
    }

    fn join(&self, a: &Element, b: &Element) -> Result<Element, UserError> {
        let joined = self.of_two(Some(&self.join), "join", [a, b])?;
        joined.ok_or_else(|| UserError::new("there is no join"))
    }

    fn covers(&self, large: &Element, small: &Element) -> Result<bool, UserError> {
        let Some(covers) = &self.covers else { return self.equals(&self.join(large, small)?, large) };
        Python::attach(|py| {
            let [large, small] = [object(py, large)?, object(py, small)?];
            let result = covers.bind(py).call1((large, small)).and_then(|result| truth(&result, "`covers`"));
            result.map_err(|exception| failed(py, exception))
        })
    }

    fn equals(&self, a: &Element, b: &Element) -> Result<bool, UserError> {
        Python::attach(|py| {
            let [a, b] = [object(py, a)?, object(py, b)?];
            let result = self.equals.bind(py).call1((a, b)).and_then(|result| truth(&result, "`__eq__`"));
            result.map_err(|exception| failed(py, exception))
        })
    }

    fn hash(&self, e: &Element) -> Result<Option<u64>, UserError> {
        let Some(hash) = &self.hash else { return Ok(None) };
        Python::attach(|py| {
            let e = object(py, e)?;
            let hashed: PyResult<i64> = hash.bind(py).call1((e,)).and_then(|hashed| hashed.extract());
            hashed.map(|hashed| Some(hashed.cast_unsigned())).map_err(|exception| failed(py, exception))
        })
    }

    fn key(&self, e: &Element) -> Option<Vec<u8>> {
        let key = self.key.as_ref()?;
        Python::attach(|py| key.bind(py).call1((object(py, e).ok()?,)).ok()?.extract().ok())
    }

    fn widen(&self, old: &Element, new: &Element, thresholds: &[i32]) -> Result<Option<Element>, UserError> {
        let Some(widen) = &self.widen else { return Ok(None) };
        Python::attach(|py| {
            let [old, new] = [object(py, old)?, object(py, new)?];
            let result = widen.bind(py).call1((old, new, thresholds.to_vec()));
            let result = result.and_then(|result| self.checked(py, result, "widen"));
            result.map(Some).map_err(|exception| failed(py, exception))
        })
    }

    fn meet(&self, a: &Element, b: &Element) -> Result<Option<Element>, UserError> {
        self.of_two(self.meet.as_ref(), "meet", [a, b])
    }

    fn bottom(&self) -> Result<Option<Element>, UserError> {
        let Some(bottom) = &self.bottom else { return Ok(None) };
        call(|py| self.checked(py, bottom.bind(py).call0()?, "bottom").map(Some))
    }

    fn call(&self, method: usize, this: &mut Element, args: &[i32], access: Access) -> Result<Option<i64>, UserError> {
        let function = self.methods.get(method).ok_or_else(|| UserError::new("there is no such method"))?;
        Python::attach(|py| {
            let mut called = || -> PyResult<Option<i64>> {
                let object = object(py, this).map_err(|e| PyTypeError::new_err(e.message))?;
                let mut all = vec![object];
                for arg in args {
                    all.push(arg.into_pyobject(py)?.into_any());
                }
                let result = function.bind(py).call1(PyTuple::new(py, all)?)?;
                if access == Access::Change {
                    // A method returns what the element becomes, or changes it in place.
                    if result.is_instance(self.type_of.bind(py))? {
                        *this = element(result);
                    }
                    return Ok(None);
                }
                if result.is_none() {
                    return Ok(None);
                }
                if result.is_instance_of::<PyBool>() {
                    return Ok(Some(i64::from(result.extract::<bool>()?)));
                }
                // Greater numbers than these are no numbers of models.
                if result.is_instance_of::<PyInt>() {
                    return result.extract().map(Some).map_err(|_| nonsense(&result, "the method", "one of 32 bits"));
                }
                Err(nonsense(&result, "the method", "a number or a truth value"))
            };
            called().map_err(|exception| failed(py, exception))
        })
    }

    fn combine(&self, method: usize, this: &mut Element, other: &Element) -> Result<(), UserError> {
        let function = self.methods.get(method).ok_or_else(|| UserError::new("there is no such method"))?;
        Python::attach(|py| {
            let other = object(py, other)?;
            self.change(py, function, this, |this| (this, other).into_pyobject(py))
        })
    }

    fn constrain(&self, this: &mut Element, constraint: &ElementConstraint) -> Result<(), UserError> {
        let ElementConstraint { left, right, comparison, bound } = *constraint;
        let comparison = comparison.to_string();
        Python::attach(|py| {
            self.change(py, &self.constrain, this, |this| (this, left, right, comparison, bound).into_pyobject(py))
        })
    }

    fn set_clock(&self, this: &mut Element, clock: usize, value: i32) -> Result<(), UserError> {
        Python::attach(|py| self.change(py, &self.set_clock, this, |this| (this, clock, value).into_pyobject(py)))
    }

    fn is_empty(&self, e: &Element) -> Result<bool, UserError> {
        let Some(is_empty) = &self.is_empty else { return Ok(false) };
        Python::attach(|py| {
            let e = object(py, e)?;
            let result = is_empty.bind(py).call1((e,)).and_then(|result| truth(&result, "`isEmpty`"));
            result.map_err(|exception| failed(py, exception))
        })
    }

    fn show(&self, e: &Element) -> Result<String, UserError> {
        Python::attach(|py| {
            let e = object(py, e)?;
            let shown: PyResult<String> = self.show.bind(py).call1((e,)).and_then(|shown| shown.extract());
            shown.map_err(|exception| failed(py, exception))
        })
    }

    fn protection(&self) -> Protection {
        if self.immutable { Protection::Immutable } else { Protection::Copies }
    }
}
