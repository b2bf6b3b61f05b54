//! The predeclared names of the language.

use std::f64::consts;

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
        | "normal" | "random_arcsine" | "random_beta" | "random_gamma" | "random_normal" | "random_weibull" => {
            (Builtin::ToDouble, 2)
        }
        "fma" | "random_tri" => (Builtin::ToDouble, 3),
        _ => return None,
    })
}

/// The names of the predeclared functions.
#[cfg(test)]
pub(crate) const NAMES: &[&str] = &[
    "abs",
    "fint",
    "ilogb",
    "fpclassify",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "signbit",
    "isunordered",
    "fabs",
    "exp",
    "exp2",
    "expm1",
    "ln",
    "log",
    "log10",
    "log2",
    "log1p",
    "sqrt",
    "cbrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "ceil",
    "floor",
    "trunc",
    "round",
    "logb",
    "random",
    "random_poisson",
    "fmod",
    "fmax",
    "fmin",
    "fdim",
    "pow",
    "hypot",
    "atan2",
    "ldexp",
    "nextafter",
    "copysign",
    "normal",
    "random_arcsine",
    "random_beta",
    "random_gamma",
    "random_normal",
    "random_weibull",
    "fma",
    "random_tri",
];

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
pub(crate) const DOUBLES: &[(&str, f64)] = &[
    ("FLT_MIN", f32::MIN_POSITIVE as f64),
    ("FLT_MAX", f32::MAX as f64),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_MAX", f64::MAX),
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_E", consts::E),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
];

/// The predeclared types.
pub(crate) const TYPES: &[(&str, i32, i32)] = &[
    ("int8_t", i8::MIN as i32, i8::MAX as i32),
    ("uint8_t", 0, u8::MAX as i32),
    ("int16_t", i16::MIN as i32, i16::MAX as i32),
    ("uint16_t", 0, u16::MAX as i32),
    ("int32_t", i32::MIN, i32::MAX),
];
