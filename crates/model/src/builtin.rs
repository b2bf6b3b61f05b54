//! The predeclared names of the language.

/// The signature of a predeclared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// `abs`: an integer to an integer.
    Abs,
    /// Numbers to an integer.
    ToInt,
    /// Numbers to a boolean.
    ToBool,
    /// Numbers to a floating-point number.
    ToDouble,
}

/// Returns the predeclared function `name`, with its number of arguments.
#[must_use]
pub(crate) fn function(name: &str) -> Option<(Builtin, usize)> {
    Some(match name {
        "abs" => (Builtin::Abs, 1),
        "fint" | "ilogb" | "fpclassify" => (Builtin::ToInt, 1),
        "isfinite" | "isinf" | "isnan" | "isnormal" | "signbit" | "isunordered" => (Builtin::ToBool, 1),
        "fabs" | "exp" | "exp2" | "expm1" | "ln" | "log" | "log10" | "log2" | "log1p" | "sqrt" | "cbrt" | "sin"
        | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "erf"
        | "erfc" | "tgamma" | "lgamma" | "ceil" | "floor" | "trunc" | "round" | "logb" | "random"
        | "random_poisson" => (Builtin::ToDouble, 1),
        "fmod" | "fmax" | "fmin" | "fdim" | "pow" | "hypot" | "atan2" | "ldexp" | "nextafter" | "copysign"
        | "random_arcsine" | "random_beta" | "random_gamma" | "random_normal" | "random_weibull" => {
            (Builtin::ToDouble, 2)
        }
        "fma" | "random_tri" => (Builtin::ToDouble, 3),
        _ => return None,
    })
}

/// The predeclared integer constants.
pub(crate) const INTEGERS: &[(&str, i32)] = &[
    ("INT8_MIN", i8::MIN as i32),
    ("INT8_MAX", i8::MAX as i32),
    ("UINT8_MAX", u8::MAX as i32),
    ("INT16_MIN", i16::MIN as i32),
    ("INT16_MAX", i16::MAX as i32),
    ("UINT16_MAX", u16::MAX as i32),
    ("INT32_MIN", i32::MIN),
    ("INT32_MAX", i32::MAX),
];

/// The predeclared floating-point constants.
pub(crate) const DOUBLES: &[&str] = &[
    "FLT_MIN",
    "FLT_MAX",
    "DBL_MIN",
    "DBL_MAX",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_E",
    "M_LOG2E",
    "M_LOG10E",
    "M_LN2",
    "M_LN10",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_SQRT2",
    "M_SQRT1_2",
];

/// The predeclared types.
pub(crate) const TYPES: &[(&str, i32, i32)] = &[
    ("int8_t", i8::MIN as i32, i8::MAX as i32),
    ("uint8_t", 0, u8::MAX as i32),
    ("int16_t", i16::MIN as i32, i16::MAX as i32),
    ("uint16_t", 0, u16::MAX as i32),
    ("int32_t", i32::MIN, i32::MAX),
];
