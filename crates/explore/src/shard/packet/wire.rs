//! Packets as bytes, for workers of other processes.

use zone::Bound;

use super::{Packet, PacketState, RemoteOrigin};
use crate::cluster::{FlatReader, FlatWriter, Malformed};

/// The flags of a state.
const PARENT_IS_WIDE: u8 = 1;
const ZONE_IS_WIDE: u8 = 2;
/// Neither the length of its path nor the open list of the sender matters.
const IS_PLAIN: u8 = 4;

impl<B: Bound> Packet<B> {
    /// Writes the packet.
    pub(crate) fn write(&self, out: &mut FlatWriter) {
        out.small(self.from.into()).number(self.states.len() as u64);
        for PacketState { origin, is_wide } in &self.states {
            let RemoteOrigin { node, ordinal, depth, is_wide: parent_is_wide, stamp } = *origin;
            let is_plain = depth == 0 && stamp == 0;
            let wide = u8::from(parent_is_wide) * PARENT_IS_WIDE + u8::from(*is_wide) * ZONE_IS_WIDE;
            let flags = wide + u8::from(is_plain) * IS_PLAIN;
            out.byte(flags).small(node).small(ordinal);
            if flags & IS_PLAIN == 0 {
                out.small(depth).number(stamp);
            }
        }
        out.packed(&self.rows).shorts(&self.narrow).bounds(&self.wide);
    }

    /// Reads a packet of states with rows of `width` and zones of `area` integers.
    pub(crate) fn read(from: &mut FlatReader<'_>, width: usize, area: usize) -> Result<Packet<B>, Malformed> {
        let worker = from.small()?.try_into().map_err(|_| Malformed)?;
        let count = from.count()?;
        let mut packet = Packet::new(worker, width, area);
        let mut wide = 0;
        for _ in 0..count {
            let flags = from.byte()?;
            let is_wide = flags & ZONE_IS_WIDE != 0;
            wide += usize::from(is_wide);
            let (node, ordinal) = (from.small()?, from.small()?);
            let (depth, stamp) = if flags & IS_PLAIN == 0 { (from.small()?, from.number()?) } else { (0, 0) };
            let origin = RemoteOrigin { node, ordinal, depth, is_wide: flags & PARENT_IS_WIDE != 0, stamp };
            packet.states.push(PacketState { origin, is_wide });
        }
        (packet.rows, packet.narrow, packet.wide) = (from.packed()?, from.shorts()?, from.bounds()?);
        let fits = |numbers: usize, count: usize, each: usize| count.checked_mul(each) == Some(numbers);
        let fit = fits(packet.rows.len(), count, width)
            && fits(packet.narrow.len(), count - wide, area)
            && fits(packet.wide.len(), wide, area);
        if fit { Ok(packet) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::{ZoneBounds, Zones};

    #[test]
    fn packets_are_read_as_they_were_written() {
        let mut zones = Zones::<i32>::new(2);
        let narrow = zones.intern_stored(ZoneBounds::Narrow(&[1, 1, 9, 1]));
        let wide = zones.intern_stored(ZoneBounds::Wide(&[1, 1, 1 << 20, 1]));
        let mut packet = Packet::<i32>::new(3, 2, 4);
        for (i, zone) in [narrow, wide, narrow].into_iter().enumerate() {
            let origin =
                RemoteOrigin { node: 7, ordinal: i as u32, depth: 2 * (i as u32 % 2), is_wide: i == 1, stamp: 0 };
            packet.push(&[i as i32, -1], (zone, &zones), origin);
        }
        let mut out = FlatWriter::default();
        packet.write(&mut out);
        let mut read = FlatReader::new(&out.0);
        let other = Packet::<i32>::read(&mut read, 2, 4).unwrap();
        assert_eq!(read.end(), Ok(()));
        assert_eq!(
            (other.from, &other.rows, &other.narrow, &other.wide),
            (3, &packet.rows, &packet.narrow, &packet.wide)
        );
        let mut again = FlatWriter::default();
        other.write(&mut again);
        assert_eq!(out.0, again.0);
        for (width, area) in [(1, 4), (2, 3), (3, 4), (2, 9)] {
            assert!(Packet::<i32>::read(&mut FlatReader::new(&out.0), width, area).is_err());
        }
        for end in 0..out.0.len() {
            assert!(Packet::<i32>::read(&mut FlatReader::new(&out.0[..end]), 2, 4).is_err());
        }
    }
}
