import { type ByPriority, sumOf } from './pool.js';
import { Spread } from './spread.js';

/** What a node's own traffic did over the last second, by priority. */
export interface OwnTraffic {
  /** Units admitted. */
  readonly own: ByPriority;
  /** Units asked for, admitted or not. */
  readonly demand: ByPriority;
}

/** How much own traffic a node may have in any second. */
export interface OwnAllowance {
  /** For a request of each priority: all own traffic of the node, with this request, must stay within it. */
  readonly limits: ByPriority;
  /** The priority that does not fit into the pool, as its rank; 3: all fit. Less important ones are refused altogether. */
  readonly short: number;
  /** What the node may have of the priority that is short. */
  readonly cap: number;
}

/** More important traffic may go past the capacity by this part of it, at most: 1/10, what drains in an exchange interval. */
const OVERDRAFT_DIVISOR = 10;

/**
 * What node `index` may admit. While demand is within the capacity, all that the other nodes leave of it: own traffic is
 * not refused below the capacity, wherever it arrives. Past it the most important priorities are served first; the one
 * that does not fit is divided among the nodes by what they were asked for.
 *
 * A more important request finds room at once where less important traffic took the last of the capacity: it may go
 * past it by as much of that as drains in one exchange interval, and that traffic is held back meanwhile.
 */
export function ownAllowance(
  nodes: readonly OwnTraffic[],
  index: number,
  capacity: number,
  nowMs: number,
): OwnAllowance {
  const load = [0, 0, 0];
  const demand = [0, 0, 0];
  for (const node of nodes) {
    for (let rank = 0; rank < 3; rank++) {
      load[rank] = at(load, rank) + at(node.own, rank);
      demand[rank] = at(demand, rank) + at(node.demand, rank);
    }
  }
  const total = at(load, 0) + at(load, 1) + at(load, 2);
  const node = nodes[index];
  const mine = node === undefined ? 0 : sumOf(node.own);
  const limitOf = (lessImportant: number) => {
    const ceiling = capacity + Math.min(Math.floor(capacity / OVERDRAFT_DIVISOR), lessImportant);
    // Past the ceiling each node falls by its part: if every one made up for the whole excess, all would fall too far.
    return total <= ceiling ? ceiling - (total - mine) : Math.floor((mine * ceiling) / total);
  };
  const limits = [limitOf(at(load, 1) + at(load, 2)), limitOf(at(load, 2)), limitOf(0)] as const;
  let left = capacity;
  for (let rank = 0; rank < 3; rank++) {
    if (at(demand, rank) > left) {
      return { limits, short: rank, cap: shareOf(nodes, index, rank, left, at(demand, rank), nowMs) };
    }
    left -= at(demand, rank);
  }
  return { limits, short: 3, cap: 0 };
}

function shareOf(
  nodes: readonly OwnTraffic[],
  index: number,
  rank: number,
  units: number,
  demand: number,
  nowMs: number,
): number {
  const spread = new Spread(nowMs);
  let share = 0;
  nodes.forEach((node, i) => {
    const whole = spread.next((units * at(node.demand, rank)) / demand);
    if (i === index) share = whole;
  });
  return share;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0;
}
