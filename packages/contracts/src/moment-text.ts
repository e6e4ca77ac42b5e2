/** On this side of a change of clocks, and on the other: hours before and after a moment. */
const NEAR_CHANGE_MS = 3 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * A day and time by the clock of a zone, the zone said: `20 Nov 2026, 14:03 Europe/Berlin`. Around a change of clocks, where an
 * hour may come twice, with how far the clock is ahead: `25 Oct 2026, 02:30 Europe/Berlin (GMT+2)`.
 * @throws RangeError for what is no moment, or no zone
 */
export function formatMomentInZone(at: string | Date, timeZone: string): string {
  const atMs = new Date(at).getTime();
  const { day, month, year, hour, minute, timeZoneName } = partsOf(timeZone, atMs);
  const offsets = [atMs - NEAR_CHANGE_MS, atMs + NEAR_CHANGE_MS].map(
    (ms) => partsOf(timeZone, ms).timeZoneName,
  );
  const offset = new Set(offsets).size === 1 ? '' : ` (${timeZoneName})`;
  return `${day} ${month} ${year}, ${hour}:${minute} ${timeZone}${offset}`;
}

function partsOf(timeZone: string, atMs: number): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', timeZoneName: 'shortOffset' },
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    });
    formats.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
}
