//! Operations on floating-point numbers.
//!
//! All are computed in Rust alone, so that results have the same bits on every machine.

use syntax::ast::BinaryOp;

use crate::machine::FaultKind;

/// An operation with a floating-point result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RealOp(u8);

/// The name, the number of operands, and what is computed of them.
type RealEntry = (&'static str, usize, fn(f64, f64, f64) -> f64);

/// The operators of the language, and then its functions.
const TABLE: &[RealEntry] = &[
    ("+", 2, |a, b, _| a + b),
    ("-", 2, |a, b, _| a - b),
    ("*", 2, |a, b, _| a * b),
    ("/", 2, |a, b, _| a / b),
    ("**", 2, |a, b, _| libm::pow(a, b)),
    ("<?", 2, |a, b, _| libm::fmin(a, b)),
    (">?", 2, |a, b, _| libm::fmax(a, b)),
    ("negation", 1, |a, _, _| -a),
    ("fabs", 1, |a, _, _| libm::fabs(a)),
    ("fmod", 2, |a, b, _| libm::fmod(a, b)),
    ("fma", 3, libm::fma),
    ("fmax", 2, |a, b, _| libm::fmax(a, b)),
    ("fmin", 2, |a, b, _| libm::fmin(a, b)),
    ("fdim", 2, |a, b, _| libm::fdim(a, b)),
    ("exp", 1, |a, _, _| libm::exp(a)),
    ("exp2", 1, |a, _, _| libm::exp2(a)),
    ("expm1", 1, |a, _, _| libm::expm1(a)),
    ("ln", 1, |a, _, _| libm::log(a)),
    // UPPAAL's, and not that of C.
    ("log", 1, |a, _, _| libm::log10(a)),
    ("log10", 1, |a, _, _| libm::log10(a)),
    ("log2", 1, |a, _, _| libm::log2(a)),
    ("log1p", 1, |a, _, _| libm::log1p(a)),
    ("pow", 2, |a, b, _| libm::pow(a, b)),
    ("sqrt", 1, |a, _, _| libm::sqrt(a)),
    ("cbrt", 1, |a, _, _| libm::cbrt(a)),
    ("hypot", 2, |a, b, _| libm::hypot(a, b)),
    ("sin", 1, |a, _, _| libm::sin(a)),
    ("cos", 1, |a, _, _| libm::cos(a)),
    ("tan", 1, |a, _, _| libm::tan(a)),
    ("asin", 1, |a, _, _| libm::asin(a)),
    ("acos", 1, |a, _, _| libm::acos(a)),
    ("atan", 1, |a, _, _| libm::atan(a)),
    ("atan2", 2, |a, b, _| libm::atan2(a, b)),
    ("sinh", 1, |a, _, _| libm::sinh(a)),
    ("cosh", 1, |a, _, _| libm::cosh(a)),
    ("tanh", 1, |a, _, _| libm::tanh(a)),
    ("asinh", 1, |a, _, _| libm::asinh(a)),
    ("acosh", 1, |a, _, _| libm::acosh(a)),
    ("atanh", 1, |a, _, _| libm::atanh(a)),
    ("erf", 1, |a, _, _| libm::erf(a)),
    ("erfc", 1, |a, _, _| libm::erfc(a)),
    ("tgamma", 1, |a, _, _| libm::tgamma(a)),
    ("lgamma", 1, |a, _, _| libm::lgamma(a)),
    ("ceil", 1, |a, _, _| libm::ceil(a)),
    ("floor", 1, |a, _, _| libm::floor(a)),
    ("trunc", 1, |a, _, _| libm::trunc(a)),
    ("round", 1, |a, _, _| libm::round(a)),
    ("ldexp", 2, |a, b, _| libm::ldexp(a, b.clamp(-5000.0, 5000.0) as i32)),
    ("logb", 1, |a, _, _| exponent(a)),
    ("nextafter", 2, |a, b, _| libm::nextafter(a, b)),
    ("copysign", 2, |a, b, _| libm::copysign(a, b)),
];

impl RealOp {
    /// The sum.
    pub const ADD: RealOp = RealOp(0);
    /// The difference.
    pub const SUBTRACT: RealOp = RealOp(1);
    /// The product.
    pub const MULTIPLY: RealOp = RealOp(2);
    /// The quotient.
    pub const DIVIDE: RealOp = RealOp(3);
    const POWER: RealOp = RealOp(4);
    const MINIMUM: RealOp = RealOp(5);
    const MAXIMUM: RealOp = RealOp(6);
    pub(crate) const NEGATE: RealOp = RealOp(7);

    /// Returns the operation of an operator of the language.
    #[must_use]
    pub(crate) fn of(operator: BinaryOp) -> Option<RealOp> {
        Some(match operator {
            BinaryOp::Add => RealOp::ADD,
            BinaryOp::Sub => RealOp::SUBTRACT,
            BinaryOp::Mul => RealOp::MULTIPLY,
            BinaryOp::Div => RealOp::DIVIDE,
            BinaryOp::Pow => RealOp::POWER,
            BinaryOp::Min => RealOp::MINIMUM,
            BinaryOp::Max => RealOp::MAXIMUM,
            _ => return None,
        })
    }

    /// Returns the operation of a predeclared function.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<RealOp> {
        TABLE.iter().position(|entry| entry.0 == name).map(|i| RealOp(i as u8))
    }

    /// Returns its number of operands.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn arity(self) -> usize {
        TABLE[usize::from(self.0)].1
    }

    /// Returns the result. Operands that it does not have are ignored.
    #[must_use]
    #[inline]
    pub fn apply(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            RealOp::ADD => a + b,
            RealOp::SUBTRACT => a - b,
            RealOp::MULTIPLY => a * b,
            RealOp::DIVIDE => a / b,
            _ => (TABLE[usize::from(self.0)].2)(a, b, c),
        }
    }
}

/// Returns the exponent of a number with base 2.
fn exponent(a: f64) -> f64 {
    match a {
        0.0 => f64::NEG_INFINITY,
        _ if a.is_finite() => f64::from(libm::ilogb(a)),
        _ => a.abs(),
    }
}

/// A function of a floating-point number whose result is an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RealTest {
    Truncate,
    Exponent,
    Class,
    IsFinite,
    IsInfinite,
    IsNan,
    IsNormal,
    SignBit,
}

impl RealTest {
    /// Returns the predeclared function of a name.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<RealTest> {
        Some(match name {
            "fint" => RealTest::Truncate,
            "ilogb" => RealTest::Exponent,
            "fpclassify" => RealTest::Class,
            "isfinite" => RealTest::IsFinite,
            "isinf" => RealTest::IsInfinite,
            "isnan" | "isunordered" => RealTest::IsNan,
            "isnormal" => RealTest::IsNormal,
            "signbit" => RealTest::SignBit,
            _ => return None,
        })
    }

    /// Returns the least and the greatest result.
    #[must_use]
    pub(crate) fn range(self) -> (i32, i32) {
        match self {
            RealTest::Truncate | RealTest::Exponent => (i32::MIN, i32::MAX),
            RealTest::Class => (0, 4),
            _ => (0, 1),
        }
    }

    /// Returns the result.
    ///
    /// # Errors
    /// The number has no integer part of 32 bits.
    #[inline]
    pub fn apply(self, a: f64) -> Result<i32, FaultKind> {
        Ok(match self {
            RealTest::Truncate => {
                let whole = libm::trunc(a);
                if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&whole) {
                    return Err(FaultKind::NoInteger);
                }
                whole as i32
            }
            RealTest::Exponent => libm::ilogb(a),
            // The numbers of C.
            RealTest::Class => match a.classify() {
                std::num::FpCategory::Nan => 0,
                std::num::FpCategory::Infinite => 1,
                std::num::FpCategory::Zero => 2,
                std::num::FpCategory::Subnormal => 3,
                std::num::FpCategory::Normal => 4,
            },
            RealTest::IsFinite => i32::from(a.is_finite()),
            RealTest::IsInfinite => i32::from(a.is_infinite()),
            RealTest::IsNan => i32::from(a.is_nan()),
            RealTest::IsNormal => i32::from(a.is_normal()),
            RealTest::SignBit => i32::from(a.is_sign_negative()),
        })
    }
}

/// Returns the two words that hold a number in memory.
#[must_use]
#[inline]
pub fn words(x: f64) -> [i32; 2] {
    let bits = x.to_bits();
    [bits as u32 as i32, (bits >> 32) as u32 as i32]
}

/// Returns the number that two words hold.
#[must_use]
#[inline]
pub fn number(low: i32, high: i32) -> f64 {
    f64::from_bits(u64::from(low as u32) | u64::from(high as u32) << 32)
}

#[cfg(test)]
mod tests {
    use super::{RealOp, RealTest, number, words};
    use crate::{builtin, machine::FaultKind};

    #[test]
    fn words_hold_numbers() {
        for x in [0.0, -0.0, 1.5, -1e300, f64::MIN_POSITIVE, f64::INFINITY] {
            let [low, high] = words(x);
            assert_eq!(number(low, high).to_bits(), x.to_bits());
        }
    }

    #[test]
    fn functions_have_their_values() {
        let one = |name: &str, a| RealOp::named(name).unwrap().apply(a, 0.0, 0.0);
        let two = |name: &str, a, b| RealOp::named(name).unwrap().apply(a, b, 0.0);
        assert_eq!([one("log", 1000.0), one("ln", 1.0), one("log2", 8.0)], [3.0, 0.0, 3.0]);
        assert_eq!(
            [one("round", -2.5), one("trunc", -2.5), one("floor", -2.5), one("ceil", -2.5)],
            [-3.0, -2.0, -3.0, -2.0]
        );
        assert_eq!([two("fmod", 7.5, 2.0), two("fdim", 3.0, 5.0), two("ldexp", 1.5, 3.0)], [1.5, 0.0, 12.0]);
        assert_eq!([two("hypot", 3.0, 4.0), two("copysign", 3.0, -1.0), two("pow", 2.0, -1.0)], [5.0, -3.0, 0.5]);
        assert_eq!(RealOp::named("fma").unwrap().apply(2.0, 3.0, 4.0), 10.0);
        assert_eq!([one("logb", 10.0), one("tgamma", 5.0), one("fabs", -2.0)], [3.0, 24.0, 2.0]);
        assert!((one("sin", 1.0).powi(2) + one("cos", 1.0).powi(2) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn integers_are_within_32_bits() {
        assert_eq!(RealTest::Truncate.apply(-2.9), Ok(-2));
        for x in [f64::NAN, f64::INFINITY, 1e10] {
            assert_eq!(RealTest::Truncate.apply(x), Err(FaultKind::NoInteger));
        }
        assert_eq!((RealTest::Class.apply(0.0), RealTest::Class.apply(1.0)), (Ok(2), Ok(4)));
        assert_eq!((RealTest::IsNan.apply(f64::NAN), RealTest::SignBit.apply(-0.0)), (Ok(1), Ok(1)));
    }

    #[test]
    fn every_predeclared_function_has_a_meaning() {
        for name in builtin::NAMES {
            let (_, arity) = builtin::function(name).unwrap();
            let known = RealOp::named(name).map(RealOp::arity).or(RealTest::named(name).map(|_| 1));
            let known = known.or(crate::random::Distribution::named(name).map(crate::random::Distribution::arity));
            assert!(known == Some(arity) || *name == "abs", "{name}");
        }
    }
}
