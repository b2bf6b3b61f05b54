//! A zone that was read from the store. Many states have the same one, often one after the other.

use zone::Bound;

use crate::zones::{ZoneId, Zones};

/// A buffer for a zone, which knows what it holds.
pub(crate) struct HeldZone<B> {
    /// The id of the zone, and its version.
    of: Option<(ZoneId, u32)>,
    zone: Vec<B>,
}

impl<B: Bound> HeldZone<B> {
    pub(crate) fn new() -> HeldZone<B> {
        HeldZone { of: None, zone: Vec::new() }
    }

    /// Forgets what it holds, since the next zone may be in another store.
    pub(crate) fn forget(&mut self) {
        self.of = None;
    }

    /// Returns a zone with its tail.
    #[inline]
    pub(crate) fn whole(&mut self, id: ZoneId, zones: &Zones<B>) -> &[B] {
        self.read(id, zones, Zones::read_whole)
    }

    /// Returns a zone without its tail. A buffer serves for zones with tails, or for others.
    #[inline]
    pub(crate) fn visible(&mut self, id: ZoneId, zones: &Zones<B>) -> &[B] {
        self.read(id, zones, Zones::read)
    }

    #[inline]
    fn read(&mut self, id: ZoneId, zones: &Zones<B>, read: impl Fn(&Zones<B>, ZoneId, &mut Vec<B>)) -> &[B] {
        let of = Some((id, zones.version(id)));
        if self.of != of {
            read(zones, id, &mut self.zone);
            self.of = of;
        }
        &self.zone
    }
}
