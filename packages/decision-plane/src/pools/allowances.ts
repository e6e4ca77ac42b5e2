import { type ByPriority, Spread, sumOf } from '@tollgate/policy';

export interface OwnTraffic {
  readonly own: ByPriority;
  readonly demand: ByPriority;
}

export interface OwnAllowance {
  /** Per priority of a request: the maximum of the node's own traffic including the request. */
  readonly limits: ByPriority;
  /** Rank of the priority that exceeds the pool's capacity; 3: none. Less important priorities are denied. */
  readonly short: number;
  /** The node's units of that priority. */
  readonly cap: number;
}

/** More important traffic may exceed the capacity by 1/10, the traffic of one exchange interval. */
const OVERDRAFT_DIVISOR = 10;

/**
 * The allowance of node `index`. While demand is within the capacity, it is the part that other nodes do not use. Above the
 * capacity, more important priorities are served first, and the priority that exceeds it is divided among nodes by demand.
 * More important requests are admitted at once, above the capacity by the units that drain in one exchange interval.
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
    // Above the ceiling each node is reduced by its part only: together the nodes remove the excess once.
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

export interface Borrower {
  readonly tenant: string;
  /** Weight for sharing spare capacity. */
  readonly weight: number;
  /** Units lent to it. */
  readonly borrowed: number;
  /** Units requested, lent or not, by priority. */
  readonly demand: ByPriority;
}

/** The units that a tenant may borrow on one node in any second. */
export interface Grant {
  readonly total: number;
  readonly byPriority: ByPriority;
}

/** Nodes together may lend 1/16 more than the spare capacity while loans move between tenants and nodes. */
const LEEWAY_DIVISOR = 16;

export interface Lender {
  readonly borrowers: readonly Borrower[];
  /** Units granted, or lent if more, at its last exchange. */
  readonly held: number;
}

/** Divides `units` max-min fairly by weight: no part exceeds its demand, unused units go to the others. Not rounded. */
export function waterFill(units: number, demands: readonly number[], weights: readonly number[]): number[] {
  const demand = (i: number) => demands[i] ?? 0;
  const weight = (i: number) => weights[i] ?? 0;
  // In order of demand per weight: each satisfied demand raises the level of the next.
  const order = demands.map((_, i) => i);
  order.sort((a, b) => demand(a) * weight(b) - demand(b) * weight(a) || a - b);
  const parts = new Array<number>(demands.length).fill(0);
  let left = units;
  let weightLeft = 0;
  for (const i of order) weightLeft += weight(i);
  for (const i of order) {
    const part = Math.min(demand(i), (left * weight(i)) / weightLeft);
    parts[i] = part;
    left -= part;
    weightLeft -= weight(i);
  }
  return parts;
}

/**
 * The grants of node `index`, in the order of its borrowers. More important requests are served first; within a priority,
 * tenants get max-min fair parts by weight, each split over its nodes by demand. Units without demand are granted too, by
 * weight, so that growing borrowers need not wait. All nodes together hold at most a sixteenth more than is spare.
 */
export function grantsOf(
  nodes: readonly Lender[],
  index: number,
  spare: number,
  nowMs: number,
): { grants: Grant[]; held: number } {
  const mine = nodes[index]?.borrowers ?? [];
  if (mine.length === 0) return { grants: [], held: 0 };
  const fair = fairGrants(nodes, index, spare, nowMs);
  let available = spare;
  nodes.forEach((node, i) => {
    if (i !== index) available -= Math.max(node.held, borrowedOf(node));
  });
  const leeway = Math.floor(spare / (LEEWAY_DIVISOR * nodes.length));
  return withinReach(fair, mine, available, leeway, nowMs);
}

interface Tenants {
  readonly indexes: ReadonlyMap<string, number>;
  readonly weights: readonly number[];
  /** By priority, then by tenant. */
  readonly demands: readonly [number[], number[], number[]];
}

function fairGrants(nodes: readonly Lender[], index: number, spare: number, nowMs: number): Grant[] {
  const { indexes, weights, demands } = tenantsOf(nodes);
  let left = spare;
  const parts = demands.map((wanted) => {
    const filled = waterFill(left, wanted, weights);
    left -= Math.min(left, sum(wanted));
    return filled;
  });
  const weightSum = sum(weights);
  const spreads = [new Spread(nowMs), new Spread(nowMs), new Spread(nowMs), new Spread(nowMs)] as const;
  const grants: Grant[] = [];
  nodes.forEach((node, i) => {
    for (const borrower of node.borrowers) {
      const k = indexes.get(borrower.tenant) ?? 0;
      const share = (rank: 0 | 1 | 2) => {
        const wanted = demands[rank][k] ?? 0;
        return spreads[rank].next(
          wanted === 0 ? 0 : ((parts[rank]?.[k] ?? 0) * borrower.demand[rank]) / wanted,
        );
      };
      const critical = share(0);
      const normal = share(1);
      const background = share(2);
      const wanted = (demands[0][k] ?? 0) + (demands[1][k] ?? 0) + (demands[2][k] ?? 0);
      const rest = (left * (weights[k] ?? 0)) / weightSum;
      const extra = spreads[3].next(wanted === 0 ? 0 : (rest * sum(borrower.demand)) / wanted);
      if (i === index) {
        grants.push({
          total: critical + normal + background + extra,
          byPriority: [critical + extra, normal + extra, background + extra],
        });
      }
    }
  });
  return grants;
}

function tenantsOf(nodes: readonly Lender[]): Tenants {
  const indexes = new Map<string, number>();
  const weights: number[] = [];
  const demands: [number[], number[], number[]] = [[], [], []];
  for (const { borrowers } of nodes) {
    for (const { tenant, weight, demand } of borrowers) {
      const k = indexes.get(tenant) ?? indexes.size;
      indexes.set(tenant, k);
      weights[k] = Math.max(weights[k] ?? 0, weight);
      for (const rank of [0, 1, 2] as const) demands[rank][k] = (demands[rank][k] ?? 0) + demand[rank];
    }
  }
  return { indexes, weights, demands };
}

function withinReach(
  fair: readonly Grant[],
  borrowers: readonly Borrower[],
  available: number,
  leeway: number,
  nowMs: number,
): { grants: Grant[]; held: number } {
  const lent = borrowers.map(({ borrowed }) => borrowed);
  const growths = fair.map(({ total }, i) => Math.max(0, total - (lent[i] ?? 0)));
  const room = Math.max(0, available - sum(lent)) + leeway;
  // Small growths first: a small demand must not wait for large ones.
  const reach = waterFill(
    room,
    growths,
    growths.map(() => 1),
  );
  const spread = new Spread(nowMs);
  let held = 0;
  const grants = fair.map((grant, i) => {
    const borrowed = lent[i] ?? 0;
    const more = spread.next(reach[i] ?? 0);
    const total = Math.min(grant.total, borrowed + more);
    held += Math.max(total, borrowed);
    return { total, byPriority: grant.byPriority };
  });
  return { grants, held };
}

function borrowedOf({ borrowers }: Lender): number {
  let borrowed = 0;
  for (const borrower of borrowers) borrowed += borrower.borrowed;
  return borrowed;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
