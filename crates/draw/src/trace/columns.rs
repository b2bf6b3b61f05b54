//! The columns of a timeline: wide enough for the text in them, and to scale where possible.

/// The least width of a column in which no time passes, and of one in which some does.
const LEAST: [f64; 2] = [18.0, 30.0];
/// The width above which a delay is not drawn to scale.
const GREATEST: f64 = 420.0;
/// The width of the median delay if no text needs room.
const USUAL: f64 = 56.0;

/// A text that needs room from the start of one column to the start of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub first: usize,
    pub end: usize,
    pub width: f64,
}

/// Columns for the states of a trace.
#[derive(Debug)]
pub(super) struct Columns {
    /// The left end of each column, and the right end of the last one.
    pub x: Vec<f64>,
    /// Whether a column has the width of its delay.
    pub to_scale: Vec<bool>,
}

impl Columns {
    /// Creates columns for delays; in some of them no time passes.
    pub(super) fn new(left: f64, delays: &[f64], mut needs: Vec<Need>) -> Columns {
        needs.retain(|need| need.first < need.end && need.end <= delays.len());
        // The text in short spans is placed first: what makes room for it is room in longer ones.
        needs.sort_by_key(|need| need.end - need.first);
        let scale = scale(delays, &needs);
        let exact = |delay: &f64| delay * scale;
        let mut widths: Vec<f64> = delays
            .iter()
            .map(|delay| if *delay > 0.0 { exact(delay).clamp(LEAST[1], GREATEST) } else { LEAST[0] })
            .collect();
        for need in needs {
            let span = need.first..need.end;
            let missing = need.width - widths[span.clone()].iter().sum::<f64>();
            if missing <= 0.0 {
                continue;
            }
            // Columns without time have no scale to keep.
            let free: Vec<usize> = span.clone().filter(|i| delays[*i] <= 0.0).collect();
            let wider = if free.is_empty() { span.collect() } else { free };
            let each = missing / wider.len() as f64;
            wider.iter().for_each(|i| widths[*i] += each);
        }
        let to_scale = widths.iter().zip(delays).map(|(w, delay)| *delay > 0.0 && (w - exact(delay)).abs() < 0.5);
        let to_scale = to_scale.collect();
        let mut x = vec![left];
        let mut at = left;
        for width in widths {
            at += width;
            x.push(at);
        }
        Columns { x, to_scale }
    }

    /// Returns the right end of the last column.
    pub(super) fn end(&self) -> f64 {
        self.x.last().copied().unwrap_or_default()
    }
}

/// Chooses the width of one unit of time: most delays are wide enough for the text in them.
fn scale(delays: &[f64], needs: &[Need]) -> f64 {
    let mut least: Vec<f64> = delays.iter().map(|_| LEAST[1]).collect();
    for need in needs.iter().filter(|need| need.end == need.first + 1) {
        least[need.first] = least[need.first].max(need.width);
    }
    let middle = |mut list: Vec<f64>, share: f64| {
        list.sort_by(f64::total_cmp);
        list.get((list.len().saturating_sub(1) as f64 * share).round() as usize).copied()
    };
    let timed = || delays.iter().copied().filter(|delay| *delay > 0.0 && delay.is_finite());
    let Some(median) = middle(timed().collect(), 0.5) else { return 1.0 };
    let ratios = delays.iter().zip(&least).filter(|(delay, _)| **delay > 0.0).map(|(delay, least)| least / delay);
    let fitting = middle(ratios.collect(), 0.75).unwrap_or(1.0);
    // Tiny delays between long ones do not make the picture larger than the text needs it.
    fitting.max(USUAL / median).min(GREATEST / median)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(columns: &Columns) -> Vec<f64> {
        columns.x.windows(2).map(|w| w[1] - w[0]).collect()
    }

    #[test]
    fn delays_are_to_scale() {
        let columns = Columns::new(10.0, &[2.0, 0.0, 4.0, 0.0, 1.0], Vec::new());
        let w = widths(&columns);
        assert_eq!(columns.x[0], 10.0);
        assert_eq!((w[1], w[2], w[4]), (LEAST[0], 2.0 * w[0], w[0] / 2.0));
        assert_eq!(columns.to_scale, [true, false, true, false, true]);
    }

    #[test]
    fn text_has_room() {
        let need = |first, end, width| Need { first, end, width };
        let needs = vec![need(0, 4, 500.0), need(1, 2, 90.0), need(2, 3, 110.0), need(3, 4, 20.0), need(4, 9, 50.0)];
        let columns = Columns::new(0.0, &[3.0, 0.0, 0.0, 3.0], needs);
        let w = widths(&columns);
        assert!(w[1] >= 90.0 && w[2] >= 110.0 && columns.end() >= 499.9, "{w:?}");
        assert_eq!(columns.to_scale, [true, false, false, true], "columns without time have made room");
    }

    #[test]
    fn extreme_delays_keep_a_picture_small() {
        let columns = Columns::new(0.0, &[1e-9, 1e9, 1.0, f64::MAX, 1.0], Vec::new());
        assert!(columns.end() < 5.0 * GREATEST && columns.end().is_finite(), "{columns:?}");
        assert_eq!(columns.to_scale, [false, false, true, false, true]);
        assert_eq!(Columns::new(0.0, &[0.0, 0.0], Vec::new()).end(), 2.0 * LEAST[0]);
        assert_eq!(Columns::new(5.0, &[], Vec::new()).end(), 5.0);
    }
}
