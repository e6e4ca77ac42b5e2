import { decode } from '@msgpack/msgpack';
import {
  type AnyAlgorithm,
  type AttemptsState,
  algorithms,
  type CounterState,
  type EstimateState,
  type LogState,
  type PenaltyState,
  type Permit,
  type WindowState,
} from '@tollgate/limiter/algorithms';
import { POLICY_IDS } from '@tollgate/limiter/rules';

/** A decoded value as JSON. Names end in a unit; names in `At` have times in UTC, in microseconds where they are stored. */
export type Decoded = { readonly [name: string]: DecodedValue };
export type DecodedValue = string | number | boolean | null | Decoded | readonly DecodedValue[];

const MARK_LENGTH = 3;
const LEAST_MARK = 64;
const PERIODS = 18;

/**
 * Decodes a counter: the state, then the mark (`scripts/parts/policy.lua`). Units of leases and of reservations count as
 * used; a counter does not record which.
 * @throws Error if it is not a state of this version
 */
export function decodeCounter(stateVersion: string, bytes: Buffer): Decoded {
  const algorithm = algorithms.find((one) => one.stateVersion === stateVersion);
  if (algorithm === undefined) {
    const known = algorithms.map((one) => one.stateVersion).join(', ');
    throw new Error(`unknown state version ${stateVersion}; this version of Tollgate reads ${known}`);
  }
  const text = bytes.toString('latin1');
  const mark = Number(/^\d{3}$/.exec(text.slice(-MARK_LENGTH))?.[0]) - LEAST_MARK;
  const state = algorithm.decode(text.slice(0, -MARK_LENGTH));
  if (state === undefined || !(mark >= 0 && mark < POLICY_IDS * PERIODS)) {
    throw new Error(
      `not a state ${stateVersion} of ${algorithm.kind}: ${JSON.stringify(text)}; decisions ignore it`,
    );
  }
  return {
    algorithm: algorithm.kind,
    policyId: Math.floor(mark / PERIODS),
    ttlPeriodModulo18: mark % PERIODS,
    ...fieldsOf(algorithm, state),
  };
}

function fieldsOf({ kind }: AnyAlgorithm, state: unknown): Decoded {
  switch (kind) {
    case 'fixed_window':
    case 'packed_window': {
      const { count, startMs } = state as WindowState;
      return { usedUnits: count, windowStartedAt: timeOf(startMs) };
    }
    case 'quota': {
      const { count, startMs } = state as WindowState;
      return { usedUnits: count, periodStartedAt: timeOf(startMs) };
    }
    case 'token_bucket_interval': {
      const { count, startMs } = state as WindowState;
      return { missingTokensUnits: count, refilledAt: timeOf(startMs) };
    }
    case 'gcra':
    case 'token_bucket':
    case 'leaky_bucket':
      return { emptyAt: preciseTimeOf(state as number) };
    case 'sliding_window_counter': {
      const { startMs, counts } = state as CounterState;
      return {
        usedUnits: sumOf(counts),
        newestSubWindowStartedAt: timeOf(startMs),
        newestFirstUnits: [...counts],
      };
    }
    case 'sliding_window_estimate': {
      const { startMs, current, previous } = state as EstimateState;
      return { windowStartedAt: timeOf(startMs), windowUnits: current, previousWindowUnits: previous };
    }
    case 'sliding_window_log': {
      const log = state as LogState;
      return {
        usedUnits: sumOf(log.map(({ units }) => units)),
        admissions: log.map(({ atUs, units }) => ({ at: preciseTimeOf(atUs), units })),
      };
    }
    case 'concurrency': {
      const permits = state as readonly Permit[];
      return {
        permits: permits.map(({ holder, expiryMs }) => ({
          holder: holder === 0 ? null : holder,
          expiresAt: timeOf(expiryMs),
        })),
      };
    }
    case 'penalty': {
      const { denials, windowEndUs, blocks, blockEndUs } = state as PenaltyState;
      return {
        denials,
        countedUntil: windowEndUs === 0 ? null : preciseTimeOf(windowEndUs),
        blocksInSuccession: blocks,
        blockedUntil: blockEndUs === 0 ? null : preciseTimeOf(blockEndUs),
      };
    }
    default: {
      const { failed, inFlight } = state as AttemptsState;
      const rule = algorithms.find((one) => `attempts_${one.kind}` === kind) as AnyAlgorithm;
      return {
        failures: failed === undefined ? null : fieldsOf(rule, failed),
        inFlight: inFlight.map(({ expiryMs, units }) => ({ expiresAt: timeOf(expiryMs), units })),
      };
    }
  }
}

const STATUSES = ['charged', 'final', 'refunded'];
const OUTCOMES = new Map([
  [-2, 'denied by a penalty'],
  [-1, 'denied because of attempts in flight'],
  [0, 'denied'],
  [1, 'allowed'],
  [2, 'allowed above the limit'],
]);
const CHARGES = ['always', 'on_failure', 'on_success'];
const RECEIPT_HEAD = 9;
const CHECK_HEAD = 6;
const POLICY_HEAD = 7;

/** Text of a mark, which proves that a request was charged. */
const MARK_TEXT = Buffer.from('1');

/** Decodes a receipt (`scripts/parts/receipt-layout.lua`). @throws Error if it is not a receipt */
export function decodeReceipt(bytes: Buffer): Decoded {
  if (bytes.equals(MARK_TEXT)) return { status: 'charged', isMark: true };
  const list = new PackedList(bytes);
  const status = list.number(0);
  const expiresAtUs = Math.abs(list.number(3));
  const reportedAtUs = list.number(5);
  const checks: Decoded[] = [];
  let at = RECEIPT_HEAD;
  for (let i = 0; i < list.number(8); i++) {
    const policyAt = at + CHECK_HEAD;
    checks.push({
      key: list.text(at),
      costUnits: list.number(at + 1),
      result: OUTCOMES.get(list.number(at + 2)) ?? 'unknown',
      remainingUnits: list.number(at + 3),
      waitUs: list.number(at + 4),
      resetAfterUs: list.number(at + 5),
      policy: policyOf(list, policyAt),
    });
    at = policyAt + list.number(policyAt);
  }
  return {
    status: list.number(3) < 0 ? 'expired' : (STATUSES[status] ?? `unknown (${status})`),
    holder: list.number(1),
    fingerprint: list.number(7),
    chargedAt: preciseTimeOf(list.number(2)),
    reservedUntil: expiresAtUs === 0 ? null : preciseTimeOf(expiresAtUs),
    reservationTermUs: list.number(6),
    reportedAt: reportedAtUs === 0 ? null : preciseTimeOf(reportedAtUs),
    lifetimeMs: list.number(4),
    checks,
  };
}

function policyOf(list: PackedList, at: number): Decoded {
  const size = list.number(at);
  const wireId = list.number(at + 1);
  const flags = list.number(at + 2);
  return {
    algorithm: algorithms.find((one) => one.wireId === wireId)?.kind ?? `unknown (${wireId})`,
    policyId: list.number(at + 3),
    shadow: flags % 2 === 1,
    charge: CHARGES[Math.floor(flags / 2)] ?? `unknown (${flags})`,
    horizonMs: list.number(at + 5),
    parameters: Array.from({ length: size - POLICY_HEAD }, (_, i) => list.number(at + POLICY_HEAD + i)),
  };
}

const BORROWER_FIELDS = 6;
const NODE_HEAD = 9;

/** Decodes a pool (`scripts/parts/pools/state.lua`), by field of its hash. @throws Error for other fields */
export function decodePool(fields: ReadonlyMap<string, Buffer>): Decoded {
  const services: Decoded[] = [];
  const nodes: Decoded[] = [];
  let correction: Decoded | null = null;
  let coldStartAt: string | null = null;
  for (const [field, bytes] of fields) {
    const list = new PackedList(bytes);
    const name = field.slice(2);
    if (field === 'c') {
      const [permille, steppedMs, reportedMs] = [list.number(0), list.number(1), list.number(2)];
      correction = {
        capacityPermille: permille,
        steppedAt: timeOf(steppedMs),
        reportedAt: timeOf(reportedMs),
      };
    } else if (field === 'w') {
      coldStartAt = timeOf(list.number(0));
    } else if (field.startsWith('s:')) {
      services.push({
        service: name,
        reportedAt: timeOf(list.number(0)),
        utilizationPermille: list.number(1),
      });
    } else if (field.startsWith('n:')) {
      nodes.push({
        node: name,
        order: list.number(0),
        reportedAt: timeOf(list.number(1)),
        reservedUnits: list.number(2),
        ownUnits: byPriority(list, 3),
        demandUnits: byPriority(list, 6),
        borrowers: borrowersOf(list),
      });
    } else {
      throw new Error(`not a field of a pool: ${JSON.stringify(field)}`);
    }
  }
  return { correction, coldStartAt, services, nodes };
}

function borrowersOf(list: PackedList): Decoded[] {
  const borrowers: Decoded[] = [];
  for (let at = NODE_HEAD; at < list.length; at += BORROWER_FIELDS) {
    borrowers.push({
      tenant: list.text(at),
      weight: list.number(at + 1),
      borrowedUnits: list.number(at + 2),
      demandUnits: byPriority(list, at + 3),
    });
  }
  return borrowers;
}

function byPriority(list: PackedList, at: number): Decoded {
  return { critical: list.number(at), normal: list.number(at + 1), background: list.number(at + 2) };
}

/** An array of MessagePack whose elements have expected types. */
class PackedList {
  private readonly elements: readonly unknown[];

  constructor(bytes: Buffer) {
    const value = unpacked(bytes);
    if (!Array.isArray(value)) throw new Error('not a MessagePack array');
    this.elements = value;
  }

  get length(): number {
    return this.elements.length;
  }

  number(at: number): number {
    const value = this.elements[at];
    if (typeof value !== 'number') throw new Error(`element ${at} is not a number`);
    return value;
  }

  text(at: number): string {
    const value = this.elements[at];
    if (typeof value !== 'string') throw new Error(`element ${at} is not a string`);
    return value;
  }
}

function unpacked(bytes: Buffer): unknown {
  try {
    return decode(bytes);
  } catch (error) {
    throw new Error('not a supported MessagePack value', { cause: error });
  }
}

function sumOf(units: readonly number[]): number {
  return units.reduce((sum, one) => sum + one, 0);
}

/** In UTC, to the millisecond. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** In UTC, to the microsecond. */
function preciseTimeOf(us: number): string {
  return `${timeOf(Math.floor(us / 1000)).slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`;
}
