import type { Redis } from 'ioredis';
import { AMEND_SCRIPT } from '../generated/scripts.js';
import type { WirePolicy } from '../rules/compile.js';
import type { Amended, Amendment, Check, OwedCheck } from '../stores/decision-store.js';
import { addressesOf, BatchExpired, type CallTiming } from './decide.js';
import { IntegerArrayReader, packIntegers, runScript, scriptOf } from './script.js';

/** Receives the keys of counters that were cleared or refunded. */
export const CLEARED_CHANNEL = 'tg:clear';

const script = scriptOf(AMEND_SCRIPT);

const STATUSES = ['applied', 'done', 'not_found', 'rejected'] as const;
const REFUND_REASONS = { all: 0, success: 1, failure: 2, expired: 3, released: 4 };
const OVERRUN = { reject: 0, cap: 1, overflow: 2 };

/** Entirely or not at all. @throws BatchExpired; connection errors; Error for an invalid reply */
export async function sendAmendment(
  redis: Redis,
  amendment: Amendment,
  { nowUs, expiresAtUs }: CallTiming = {},
): Promise<Amended> {
  const payload = packIntegers(integersOf(amendment));
  const { keys, fields } = addressesOf(keysOf(amendment));
  const args: (string | Buffer)[] = [
    payload,
    nowUs?.toFixed(0) ?? '',
    expiresAtUs?.toFixed(0) ?? '',
    CLEARED_CHANNEL,
  ];
  if (fields !== undefined) args.push(fields);
  const reply = await runScript(redis, script, keys, args);
  if (!Buffer.isBuffer(reply)) throw new Error('amend: the reply is not a string');
  const reader = new IntegerArrayReader(reply);
  if (reader.length === 1) throw new BatchExpired(reader.next());
  const readingsExpected = amendment.op === 'charge' ? amendment.checks.length : 0;
  const expected = 5 + 2 * readingsExpected;
  if (reader.length !== expected)
    throw new Error(`amend: ${expected} integers expected, ${reader.length} came`);
  const atUs = reader.next();
  const status = STATUSES[reader.next()];
  if (status === undefined) throw new Error('amend: unknown status');
  const amended: Amended = {
    available: true,
    nowUs: atUs,
    status,
    units: reader.next(),
    remaining: reader.next(),
    resetAfterUs: reader.next(),
  };
  if (readingsExpected === 0) return amended;
  const readings = Array.from({ length: readingsExpected }, () => ({
    remaining: reader.next(),
    resetAfterUs: reader.next(),
  }));
  return { ...amended, readings };
}

/** Names of the counters or the receipt of an amendment; they must share a slot. */
export function keysOf(amendment: Amendment): readonly string[] {
  switch (amendment.op) {
    case 'refund':
    case 'charge':
      return amendment.checks.map(({ key }) => key);
    case 'take':
    case 'restore':
      return [amendment.check.key];
    case 'reset':
      return amendment.keys;
    default:
      return [amendment.receiptKey];
  }
}

function integersOf(amendment: Amendment): number[] {
  switch (amendment.op) {
    case 'refund':
      return [1, amendment.atUs ?? 0, ...checksOf(amendment.checks)];
    case 'take':
      return [2, 0, ...checksOf([amendment.check])];
    case 'restore':
      return [3, 0, ...checksOf([{ ...amendment.check, cost: amendment.used }])];
    case 'charge':
      return [8, 0, ...checksOf(amendment.checks, ({ known = 0 }: OwedCheck) => [known])];
    case 'refundReceipt':
      return [4, REFUND_REASONS[amendment.reason]];
    case 'settle':
      return [5, amendment.cost, OVERRUN[amendment.overrun]];
    case 'renew':
      return [6];
    case 'reset':
      return [7];
  }
}

function checksOf<C extends Check>(checks: readonly C[], more: (check: C) => number[] = () => []): number[] {
  const numbers = new Map<WirePolicy, number>();
  for (const { policy } of checks) if (!numbers.has(policy)) numbers.set(policy, numbers.size + 1);
  return [
    numbers.size,
    ...[...numbers.keys()].flatMap(({ wire }) => wire),
    ...checks.flatMap((check) => [numbers.get(check.policy) ?? 0, check.cost, ...more(check)]),
  ];
}
