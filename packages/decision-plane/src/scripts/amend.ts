import type { Redis } from 'ioredis';
import { AMEND_SCRIPT } from '../generated/scripts.js';
import type { WirePolicy } from '../policy/compile.js';
import type { Amended, Amendment, Check, OwedCheck } from '../store/decision-store.js';
import { CLEARED_CHANNEL } from '../store/redis/counter-channel.js';
import { BatchExpired, type DecideOptions } from './decide.js';
import { IntegerArrayReader, IntegerArrayWriter, runScript, scriptOf } from './script.js';

const script = scriptOf(AMEND_SCRIPT);

const STATUSES = ['applied', 'done', 'not_found', 'rejected'] as const;
const REFUND_REASONS = { all: 0, success: 1, failure: 2, expired: 3, released: 4 };
const OVERRUN = { reject: 0, cap: 1, overflow: 2 };

/** Entirely or not at all. @throws BatchExpired; connection errors; Error for an invalid reply */
export async function amend(
  redis: Redis,
  amendment: Amendment,
  { nowUs, expiresAtUs }: DecideOptions = {},
): Promise<Amended> {
  const { keys, payload } = encode(amendment);
  const args = [payload, nowUs?.toFixed(0) ?? '', expiresAtUs?.toFixed(0) ?? '', CLEARED_CHANNEL];
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

/** Keys of an amendment; they must share a slot. */
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

function encode(amendment: Amendment): { keys: readonly string[]; payload: Buffer } {
  const writer = new IntegerArrayWriter();
  const push = (...integers: number[]) => {
    for (const integer of integers) writer.push(integer);
  };
  switch (amendment.op) {
    case 'refund':
      push(1, amendment.atUs ?? 0);
      writeChecks(push, amendment.checks);
      break;
    case 'take':
      push(2, 0);
      writeChecks(push, [amendment.check]);
      break;
    case 'restore':
      push(3, 0);
      writeChecks(push, [{ ...amendment.check, cost: amendment.used }]);
      break;
    case 'charge':
      push(8, 0);
      writeChecks(push, amendment.checks, ({ known = 0 }: OwedCheck) => [known]);
      break;
    case 'refundReceipt':
      push(4, REFUND_REASONS[amendment.reason]);
      break;
    case 'settle':
      push(5, amendment.cost, OVERRUN[amendment.overrun]);
      break;
    case 'renew':
      push(6);
      break;
    case 'reset':
      push(7);
      break;
  }
  return { keys: keysOf(amendment), payload: writer.finish() };
}

function writeChecks<C extends Check>(
  push: (...integers: number[]) => void,
  checks: readonly C[],
  more: (check: C) => readonly number[] = () => [],
): void {
  const numbers = new Map<WirePolicy, number>();
  for (const { policy } of checks) if (!numbers.has(policy)) numbers.set(policy, numbers.size + 1);
  push(numbers.size);
  for (const policy of numbers.keys()) push(...policy.wire);
  for (const check of checks) push(numbers.get(check.policy) ?? 0, check.cost, ...more(check));
}
