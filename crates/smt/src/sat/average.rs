//! Averages in which the past fades.

/// An exponential moving average, right from the first value on.
#[derive(Clone, Copy, Debug)]
pub struct Average {
    value: f64,
    rate: f64,
    /// How much of the value is still the zero that it started with.
    bias: f64,
}

impl Average {
    /// No values yet. A value weighs `rate`.
    pub fn new(rate: f64) -> Average {
        Average { value: 0.0, rate, bias: 1.0 }
    }

    /// One more value.
    pub fn add(&mut self, value: f64) {
        self.value += self.rate * (value - self.value);
        self.bias *= 1.0 - self.rate;
    }

    /// The average; 0 where there are no values.
    pub fn get(&self) -> f64 {
        if self.bias < 1.0 { self.value / (1.0 - self.bias) } else { 0.0 }
    }
}
