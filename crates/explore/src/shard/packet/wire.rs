//! Packets as bytes, for workers of other processes.

use zone::Bound;

use super::{Packet, PacketState, RemoteOrigin};
use crate::cluster::{FlatReader, FlatWriter, Malformed};

/// The flags of a state.
const PARENT_IS_WIDE: u8 = 1;
/// Neither the length of its path nor the open list of the sender matters.
const IS_PLAIN: u8 = 2;

impl<B: Bound> Packet<B> {
    /// Writes the packet. The receiver computes the hashes of the zones.
    pub(crate) fn write(&self, out: &mut FlatWriter) {
        out.small(self.from.into()).byte(self.is_loan.into()).number(self.zones.len() as u64);
        for zone in &self.zones {
            out.byte(zone.is_wide.into());
        }
        out.number(self.states.len() as u64);
        for PacketState { origin, .. } in &self.states {
            let RemoteOrigin { node, ordinal, depth, is_wide, stamp } = *origin;
            let is_plain = depth == 0 && stamp == 0;
            let flags = u8::from(is_wide) * PARENT_IS_WIDE + u8::from(is_plain) * IS_PLAIN;
            out.byte(flags).small(node).small(ordinal);
            if !is_plain {
                out.small(depth).number(stamp);
            }
        }
        // A packet has few zones.
        let places: Vec<i16> = self.states.iter().map(|state| state.zone as i16).collect();
        out.shorts(&places).packed(&self.rows).shorts(&self.narrow).bounds(&self.wide);
    }

    /// Reads a packet of states with rows of `width` and zones of `area` integers.
    pub(crate) fn read(from: &mut FlatReader<'_>, width: usize, area: usize) -> Result<Packet<B>, Malformed> {
        let worker = from.small()?.try_into().map_err(|_| Malformed)?;
        let mut packet = Packet::new(worker, width, area);
        packet.is_loan = from.byte()? == 1;
        let mut are_wide = Vec::new();
        for _ in 0..from.count()? {
            are_wide.push(from.byte()? == 1);
        }
        let count = from.count()?;
        for _ in 0..count {
            let flags = from.byte()?;
            let (node, ordinal) = (from.small()?, from.small()?);
            let (depth, stamp) = if flags & IS_PLAIN == 0 { (from.small()?, from.number()?) } else { (0, 0) };
            let origin = RemoteOrigin { node, ordinal, depth, is_wide: flags & PARENT_IS_WIDE != 0, stamp };
            packet.states.push(PacketState { origin, zone: 0 });
        }
        let places = from.shorts()?;
        (packet.rows, packet.narrow, packet.wide) = (from.packed()?, from.shorts()?, from.bounds()?);
        let wide = are_wide.iter().filter(|is_wide| **is_wide).count();
        let fits = |numbers: usize, count: usize, each: usize| count.checked_mul(each) == Some(numbers);
        let exists = |place: &i16| usize::try_from(*place).is_ok_and(|place| place < are_wide.len());
        let fit = (count > 0 || !packet.is_loan)
            && fits(packet.rows.len(), count, width)
            && fits(places.len(), count, 1)
            && places.iter().all(exists)
            && fits(packet.narrow.len(), are_wide.len() - wide, area)
            && fits(packet.wide.len(), wide, area);
        if !fit {
            return Err(Malformed);
        }
        packet.states.iter_mut().zip(places).for_each(|(state, place)| state.zone = place as u32);
        packet.name_zones(&are_wide);
        Ok(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outgoing;
    use super::*;
    use crate::zones::Zones;

    #[test]
    fn packets_are_read_as_they_were_written() {
        let mut zones = Zones::<i32>::new(2);
        let narrow = zones.intern(&[1, 1, 9, 1]);
        let wide = zones.intern(&[1, 1, 1 << 20, 1]);
        let mut outgoing = Outgoing::new(Packet::<i32>::new(3, 2, 4));
        for (i, zone) in [narrow, wide, narrow].into_iter().enumerate() {
            let origin =
                RemoteOrigin { node: 7, ordinal: i as u32, depth: 2 * (i as u32 % 2), is_wide: i == 1, stamp: 0 };
            outgoing.push(&[i as i32, -1], (zone, &zones), origin);
        }
        let mut packet = outgoing.packet;
        packet.is_loan = true;
        let mut out = FlatWriter::default();
        packet.write(&mut out);
        let mut read = FlatReader::new(&out.0);
        let other = Packet::<i32>::read(&mut read, 2, 4).unwrap();
        assert_eq!(read.end(), Ok(()));
        assert_eq!(
            (other.from, other.is_loan, &other.rows, &other.narrow, &other.wide),
            (3, true, &packet.rows, &packet.narrow, &packet.wide)
        );
        let hashes = |packet: &Packet<i32>| packet.zones.iter().map(|zone| zone.hash).collect::<Vec<_>>();
        assert_eq!(hashes(&other), hashes(&packet));
        let mut again = FlatWriter::default();
        other.write(&mut again);
        assert_eq!(out.0, again.0);
        for (width, area) in [(1, 4), (2, 3), (3, 4), (2, 9)] {
            assert!(Packet::<i32>::read(&mut FlatReader::new(&out.0), width, area).is_err());
        }
        for end in 0..out.0.len() {
            assert!(Packet::<i32>::read(&mut FlatReader::new(&out.0[..end]), 2, 4).is_err());
        }
        // A loan has at least one state.
        for (is_loan, accepted) in [(false, true), (true, false)] {
            let mut out = FlatWriter::default();
            Packet::<i32> { is_loan, ..Packet::new(3, 2, 4) }.write(&mut out);
            assert_eq!(Packet::<i32>::read(&mut FlatReader::new(&out.0), 2, 4).is_ok(), accepted);
        }
    }
}
