import type { Redis } from 'ioredis';
import { DECIDE_SCRIPT } from '../generated/scripts.js';
import type { WirePolicy } from '../policy/compile.js';
import type { Check, CheckResult } from '../store/decision-store.js';
import { IntegerArrayReader, IntegerArrayWriter } from './message-pack.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(DECIDE_SCRIPT);

/** One request of a batch. */
export interface BatchRequest {
  readonly checks: readonly Check[];
  /** Look only: nothing is charged. */
  readonly peek: boolean;
}

export interface BatchReply {
  /** The server's time, microseconds since the Unix epoch. */
  nowUs: number;
  /** For each request, in order, the result of each check, in order. */
  results: CheckResult[][];
}

/**
 * Decides `requests` in order in one script run. A request is charged on all its keys or on none.
 *
 * @param nowUs replaces the server's clock: tests only.
 * @throws what the connection throws; Error if the reply has a wrong shape.
 */
export async function decideBatch(
  redis: Redis,
  requests: readonly BatchRequest[],
  nowUs?: number,
): Promise<BatchReply> {
  const { keys, payload } = encodeBatch(requests);
  const now = nowUs === undefined ? '' : nowUs.toFixed(0);
  return decodeReply(await runScript(redis, script, keys, [payload, now]), requests);
}

// One writer for the process: a batch is encoded without a pause.
const writer = new IntegerArrayWriter();

function encodeBatch(requests: readonly BatchRequest[]): { keys: string[]; payload: Buffer } {
  const keyIndexes = new Map<string, number>();
  const policyIndexes = new Map<WirePolicy, number>();
  for (const { checks } of requests) {
    for (const { policy } of checks) {
      if (!policyIndexes.has(policy)) policyIndexes.set(policy, policyIndexes.size);
    }
  }
  writer.push(policyIndexes.size);
  for (const policy of policyIndexes.keys()) {
    for (const integer of policy.wire) writer.push(integer);
  }
  for (const { checks, peek } of requests) {
    writer.push(checks.length * 2 + (peek ? 1 : 0));
    for (const { key, policy, cost } of checks) {
      let keyIndex = keyIndexes.get(key);
      if (keyIndex === undefined) {
        keyIndex = keyIndexes.size + 1;
        keyIndexes.set(key, keyIndex);
      }
      writer.push(keyIndex);
      writer.push(policyIndexes.get(policy) ?? 0);
      writer.push(cost);
    }
  }
  return { keys: [...keyIndexes.keys()], payload: writer.finish() };
}

function decodeReply(reply: unknown, requests: readonly BatchRequest[]): BatchReply {
  if (!Buffer.isBuffer(reply)) throw new Error('decide: the reply is not a string');
  const reader = new IntegerArrayReader(reply);
  let expected = 1;
  for (const { checks } of requests) expected += checks.length * 4;
  if (reader.length !== expected) {
    throw new Error(`decide: ${expected} integers expected, ${reader.length} came`);
  }
  const nowUs = reader.next();
  const results = requests.map(({ checks }) =>
    checks.map(() => ({
      allowed: reader.next() === 1,
      remaining: reader.next(),
      retryAfterUs: reader.next(),
      resetAfterUs: reader.next(),
    })),
  );
  return { nowUs, results };
}
