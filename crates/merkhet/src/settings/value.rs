//! Values of options: numbers with units.

use std::time::Duration;

use thiserror::Error;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ValueError {
    /// It should be a number.
    #[error("`{0}` is not a number")]
    NotNumber(String),
    /// The unit of a time is unknown.
    #[error("`{0}` is not a unit of time; use s, m or h")]
    TimeUnit(String),
    /// The unit of a size is unknown.
    #[error("`{0}` is not a unit of memory; use K, M or G")]
    SizeUnit(String),
    /// A time is negative or too long.
    #[error("there is no such time")]
    NoTime,
    /// A size is negative or infinite.
    #[error("there is no such size")]
    NoSize,
    /// A number is not between 0 and 1.
    #[error("`{0}` is not between 0 and 1")]
    NotFraction(String),
    /// A number is too small or too large.
    #[error("{number} is not in {least}..={most}")]
    OutOfRange {
        /// The number.
        number: u64,
        /// The least one.
        least: u64,
        /// The greatest one.
        most: u64,
    },
}

/// Splits a number from its unit.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim_end(), &text[end..])
}

/// Parses a time with its unit.
///
/// # Errors
/// What is wrong with the text.
pub fn duration(text: &str) -> Result<Duration, ValueError> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(ValueError::TimeUnit(unit.to_owned())),
    };
    let number: f64 = number.parse().map_err(|_| ValueError::NotNumber(number.to_owned()))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| ValueError::NoTime)
}

/// Parses a size with its unit.
///
/// # Errors
/// What is wrong with the text.
pub fn bytes(text: &str) -> Result<usize, ValueError> {
    let (number, unit) = split(text);
    let lower = unit.to_ascii_lowercase();
    let letter = lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower);
    let shift = match letter {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(ValueError::SizeUnit(unit.to_owned())),
    };
    let number: f64 = number.parse().map_err(|_| ValueError::NotNumber(number.to_owned()))?;
    if !(number.is_finite() && number >= 0.0) {
        return Err(ValueError::NoSize);
    }
    // A size that does not fit into the address space is never reached.
    Ok((number * (1_u64 << shift) as f64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in
            [("10", 10.0), ("1.5", 1.5), ("90s", 90.0), ("5m", 300.0), ("2 h", 7200.0), ("20ms", 0.02)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in ["", "s", "-1", "1d", "NaN", "inf", "1e400", "1s2"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, size) in [("100", 100), ("1k", 1 << 10), ("512M", 512 << 20), ("4GiB", 4 << 30), ("0.5 KB", 512)] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "M", "-1", "4X", "NaN"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
