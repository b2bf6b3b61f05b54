//! Zones as minimal constraints, once there are many.
//!
//! A zone that is expanded, or compared, has to be restored, and making its form takes time too. So
//! the first zones have all their bounds, and so have all zones of few clocks.

use zone::Compactor;

/// The least dimension for which constraints are stored. Restoring a zone for each comparison with
/// a long list takes much longer than comparing it.
const MIN_DIM: usize = 17;
/// About how many bytes of zones have all their bounds.
const BOUNDS_BYTES: usize = 1 << 21;

/// The later ones of numbered zones.
pub(super) struct CompactZones {
    dim: usize,
    /// The number of the first zone.
    first: u32,
    /// The forms; empty ones of unused numbers.
    forms: Vec<Box<[i16]>>,
    /// The size of the forms in bytes.
    bytes: usize,
    compactor: Compactor,
}

impl CompactZones {
    pub(super) fn new(dim: usize) -> CompactZones {
        if !(MIN_DIM..=zone::MAX_COMPACT_DIM).contains(&dim) {
            return CompactZones::none();
        }
        CompactZones::after(BOUNDS_BYTES / (2 * dim * dim), dim)
    }

    /// Creates a list of the zones after so many.
    pub(super) fn after(first: usize, dim: usize) -> CompactZones {
        CompactZones { dim, first: first as u32, ..CompactZones::none() }
    }

    /// Creates a list that takes no zones.
    pub(super) fn none() -> CompactZones {
        CompactZones { dim: 0, first: u32::MAX, forms: Vec::new(), bytes: 0, compactor: Compactor::default() }
    }

    pub(super) fn bytes(&self) -> usize {
        // The allocator needs a few bytes for each form.
        self.bytes + self.forms.capacity() * (size_of::<Box<[i16]>>() + 8)
    }

    /// Returns the form of the zone with a number, if it is here.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&[i16]> {
        Some(&self.forms[number.checked_sub(self.first)? as usize])
    }

    /// Stores the zone with a number. Returns `false` if it does not belong here.
    #[inline]
    pub(super) fn put(&mut self, number: u32, bounds: &[i16]) -> bool {
        let Some(at) = number.checked_sub(self.first) else { return false };
        let form = self.compactor.form(bounds, self.dim);
        self.bytes += size_of_val(&*form);
        match self.forms.get_mut(at as usize) {
            Some(vacant) => *vacant = form,
            None => self.forms.push(form),
        }
        true
    }

    /// Removes the zone with a number, if it is here.
    pub(super) fn clear(&mut self, number: u32) {
        if let Some(at) = number.checked_sub(self.first) {
            self.bytes -= size_of_val(&*std::mem::take(&mut self.forms[at as usize]));
        }
    }
}
