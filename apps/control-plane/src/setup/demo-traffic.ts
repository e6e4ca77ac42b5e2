/** Requests of one tenant to one operation. */
export interface TrafficStream {
  tenant: string;
  api: string;
  operation: string;
  /** Requests on an average weekday. */
  perDay: number;
  /** Hour of the daily peak, UTC. Default: 14. */
  peakHour?: number;
  /** 0: the same all day; 1: none at the quietest hour. Default: 0.7. */
  swing?: number;
  /** Share of a weekday's requests on Saturday and Sunday. Default: 0.4. */
  weekend?: number;
  /** Distinct callers. Default: no identifier is sent. */
  users?: number;
  addresses?: number;
  /** Jobs that send many requests per minute: at an hour of some days, or once. */
  surges?: Surge[];
  /** None in the newest hours, so that a limit begins unused. */
  untilHoursAgo?: number;
}

interface Surge {
  /** Hour of the day, UTC, with the probability that a day has it. */
  daily?: { hour: number; chance: number };
  hoursAgo?: number;
  minutes: number;
  perMinute: number;
}

export interface TrafficRequest {
  atMs: number;
  tenant: string;
  api: string;
  operation: string;
  subject?: Record<string, string>;
}

/** The seed of the demo's past and present requests. */
export const TRAFFIC_SEED = 20_261_123;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Growth of traffic in 30 days. */
const GROWTH = 0.4;

/** Returns 0 up to 1; mulberry32, begun with a mix of whole numbers. */
function randomOf(...numbers: number[]): () => number {
  let state = 0;
  for (const number of numbers) state = Math.imul(state ^ (number | 0) ^ (number / 2 ** 32), 0x9e3779b1) + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A Poisson-distributed number; large ones by their normal approximation. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + normal * Math.sqrt(mean)));
  }
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > least; product *= random()) count++;
  return count;
}

/**
 * The requests of the demo: the same for the same seed, minute and end of the history. Traffic follows the day and the
 * week, and grows until `endMs`; later, it stays at that level.
 */
export class DemoTraffic {
  constructor(
    private readonly streams: readonly TrafficStream[],
    private readonly seed: number,
    private readonly endMs: number,
  ) {}

  /** Requests of the minute that starts at `startMs`, in order. */
  list(startMs: number): TrafficRequest[] {
    const requests: TrafficRequest[] = [];
    for (const [index, stream] of this.streams.entries()) {
      const mean = this.meanOf(stream, index, startMs);
      if (mean === 0) continue;
      const random = randomOf(this.seed, index, startMs);
      for (let left = poisson(mean, random); left > 0; left--) {
        requests.push(requestOf(stream, index, startMs + Math.floor(random() * MINUTE_MS), random));
      }
    }
    return requests.sort((a, b) => a.atMs - b.atMs);
  }

  private meanOf(stream: TrafficStream, index: number, atMs: number): number {
    const { perDay, peakHour = 14, swing = 0.7, weekend = 0.4, surges = [], untilHoursAgo = 0 } = stream;
    const ageMs = Math.max(0, this.endMs - atMs);
    if (untilHoursAgo > 0 && ageMs < untilHoursAgo * HOUR_MS) return 0;
    const hour = (atMs % DAY_MS) / HOUR_MS;
    const ofDay = 1 + swing * Math.cos(((hour - peakHour) / 24) * 2 * Math.PI);
    const ofWeek = [0, 6].includes(new Date(atMs).getUTCDay()) ? weekend : 1;
    const growth = 1 / (1 + (GROWTH * ageMs) / (30 * DAY_MS));
    const surge = surges.reduce((sum, one, i) => sum + this.surgeOf(one, index * 100 + i, atMs), 0);
    return (perDay / 1440) * ofDay * ofWeek * growth + surge;
  }

  /** A daily surge begins within its hour. */
  private surgeOf({ daily, hoursAgo, minutes, perMinute }: Surge, index: number, atMs: number): number {
    const dayMs = atMs - (atMs % DAY_MS);
    const random = daily === undefined ? undefined : randomOf(this.seed, index, dayMs);
    const isToday = random !== undefined && random() < (daily?.chance ?? 0);
    const startMs = isToday
      ? dayMs + (daily?.hour ?? 0) * HOUR_MS + Math.floor(random() * (60 - minutes)) * MINUTE_MS
      : this.endMs - (hoursAgo ?? Number.POSITIVE_INFINITY) * HOUR_MS;
    return atMs >= startMs && atMs < startMs + minutes * MINUTE_MS ? perMinute : 0;
  }
}

function requestOf(
  { tenant, api, operation, users, addresses }: TrafficStream,
  index: number,
  atMs: number,
  random: () => number,
): TrafficRequest {
  // Few callers send most requests.
  const pick = (count: number) => Math.floor(count * random() ** 2);
  const subject = {
    ...(users === undefined ? {} : { user: `u${pick(users)}` }),
    ...(addresses === undefined ? {} : { ip: `203.0.${index}.${pick(addresses)}` }),
  };
  return { atMs, tenant, api, operation, ...(Object.keys(subject).length === 0 ? {} : { subject }) };
}
