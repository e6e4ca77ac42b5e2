import { seededRandom } from '@tollgate/test-kit/random';

/** A decision of a synthetic sample. */
export interface SampledDecision {
  /** µs since the Unix epoch. */
  readonly atUs: number;
  readonly user: number;
  readonly operation: number;
  readonly denied: boolean;
}

const START_US = 1_790_000_000_000_000;
const PER_SECOND = 20_000;
const SKEW = 1.05;
const DENIED = 0.05;

/** Decisions of bursts of 1 to 8 requests within two seconds, by users with a Zipf distribution. Equal in every run. */
export function heavyTailed(count: number, users: number): SampledDecision[] {
  const random = seededRandom(7);
  const cumulative = new Float64Array(users);
  let total = 0;
  for (let user = 0; user < users; user++) {
    total += (user + 1) ** -SKEW;
    cumulative[user] = total;
  }
  const seconds = count / PER_SECOND;
  const decisions: SampledDecision[] = [];
  while (decisions.length < count) {
    const user = place(cumulative, random() * total);
    const startUs = START_US + random() * seconds * 1e6;
    for (let left = 1 + Math.floor(random() * 8); left > 0 && decisions.length < count; left--) {
      const operation = Math.min(8, Math.floor(-2 * Math.log(1 - random())));
      const atUs = Math.floor(startUs + random() * 2e6);
      decisions.push({ atUs, user, operation, denied: random() < DENIED });
    }
  }
  return decisions.sort((a, b) => a.atUs - b.atUs);
}

/** The first index whose value is at least `wanted`. */
function place(ascending: Float64Array, wanted: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
