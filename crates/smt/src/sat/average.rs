//! Exponential moving averages.

/// An exponential moving average without initial bias.
#[derive(Clone, Copy, Debug)]
pub(super) struct Average {
    value: f64,
    rate: f64,
    /// The remaining weight of the initial zero.
    bias: f64,
}

impl Average {
    /// Creates an average without values. Each value has the weight `rate`.
    pub(super) fn new(rate: f64) -> Average {
        Average { value: 0.0, rate, bias: 1.0 }
    }

    /// Adds a value.
    pub(super) fn add(&mut self, value: f64) {
        self.value += self.rate * (value - self.value);
        self.bias *= 1.0 - self.rate;
    }

    /// Returns the average; 0 if there are no values.
    pub(super) fn get(&self) -> f64 {
        if self.bias < 1.0 { self.value / (1.0 - self.bias) } else { 0.0 }
    }
}
