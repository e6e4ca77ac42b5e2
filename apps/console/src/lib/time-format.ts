import { formatMomentInZone } from '@tollgate/contracts/format';
import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';

dayjs.extend(relativeTime);
dayjs.extend(utc);
dayjs.extend(timezone);

export { formatMomentInZone };

/** The zone of whoever looks at the page. */
export const readersZone = (): string => dayjs.tz.guess();

/** `3 minutes ago`. */
export const formatAgo = (at: string): string => dayjs(at).fromNow();

/** A moment in the reader's own zone, the zone said: `20 Nov 2026, 14:03 Europe/Berlin`. */
export const formatMoment = (at: string): string => formatMomentInZone(at, readersZone());

/** A day in the reader's own zone: `20 Nov 2026`. */
export const formatDay = (at: string): string => dayjs(at).format('D MMM YYYY');

/** A moment in a named zone, the zone said: `Fri 00:00 Europe/Berlin`. */
export function formatInZone(at: string, timeZone: string): string {
  const moment = dayjs(at).tz(timeZone);
  const hoursLeft = moment.diff(dayjs(), 'hour', true);
  const pattern = hoursLeft < 1 ? 'ddd HH:mm:ss' : hoursLeft < 6 * 24 ? 'ddd HH:mm' : 'D MMM YYYY HH:mm';
  return `${moment.format(pattern)} ${timeZone}`;
}

/** A day in a named zone, for where the zone is said nearby: `30 Nov`, with the year when it is another. */
export function formatDayInZone(at: string, timeZone: string): string {
  const day = dayjs(at).tz(timeZone);
  return day.format(day.year() === dayjs().tz(timeZone).year() ? 'D MMM' : 'D MMM YYYY');
}

/** A past moment by the clock of a zone, to the second: `Sat 21 Nov 2026, 14:03:07 Europe/Berlin`. */
export const formatInstant = (at: string, timeZone: string): string =>
  `${dayjs(at).tz(timeZone).format('ddd D MMM YYYY, HH:mm:ss')} ${timeZone}`;

/** Time left in the two largest units: `3 h 12 min`, `42 s`; `now` at zero or below. */
export function formatTimeLeft(ms: number): string {
  if (ms <= 0) return 'now';
  const seconds = Math.ceil(ms / 1_000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)];
  const [minutes, rest] = [Math.floor((seconds % 3_600) / 60), seconds % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

/** Every zone that the browser knows, for a picker; UTC first. */
export function listTimeZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}
