import type { Redis } from 'ioredis';
import { DECIDE_SCRIPT } from '../generated/scripts.js';
import type { WirePolicy } from '../rules/compile.js';
import { addressOf, isField, penaltyKey } from '../rules/keys.js';
import type { Check, CheckResult, Decided, StoreRequest } from '../stores/decision-store.js';
import { IntegerArrayReader, IntegerArrayWriter, runScriptOnKeys, scriptOf } from './script.js';

const script = scriptOf(DECIDE_SCRIPT);

/** The server received a batch after its deadline and charged nothing. */
export class BatchExpired extends Error {
  /** @param nowUs the server's time, microseconds since the Unix epoch */
  constructor(readonly nowUs: number) {
    super('decide: the batch expired, nothing was charged');
    this.name = 'BatchExpired';
  }
}

export interface CallTiming {
  /** Overrides the server's clock; for tests only. */
  nowUs?: number;
  /** Deadline in the server's time, microseconds since the Unix epoch. */
  expiresAtUs?: number;
}

/**
 * Decides `requests` in order. All keys must share a slot, and each key must have policies of one id: see {@link
 * splitByPolicyId}.
 * @throws BatchExpired; connection errors; Error for an invalid reply
 */
export async function sendBatch(
  redis: Redis,
  requests: readonly StoreRequest[],
  { nowUs, expiresAtUs }: CallTiming = {},
): Promise<Decided[]> {
  const { names, payload } = encodeBatch(requests);
  const { keys, fields } = addressesOf(names);
  const args: (string | Buffer)[] = [payload, nowUs?.toFixed(0) ?? '', expiresAtUs?.toFixed(0) ?? ''];
  if (fields !== undefined) args.push('', fields);
  return decodeReply(await runScriptOnKeys(redis, script, keys, args), requests);
}

export function splitByPolicyId<T extends StoreRequest>(requests: readonly T[]): readonly (readonly T[])[] {
  if (haveOneId(requests)) return [requests];
  const runs: T[][] = [];
  let run: T[] = [];
  let ids = new Map<string, number>();
  for (const request of requests) {
    if (request.checks.some(({ key, policy }) => (ids.get(key) ?? policy.id) !== policy.id)) {
      runs.push(run);
      run = [];
      ids = new Map();
    }
    for (const { key, policy } of request.checks) ids.set(key, policy.id);
    run.push(request);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

// The common case, and much cheaper to check than ids per key.
function haveOneId(requests: readonly StoreRequest[]): boolean {
  let id: number | undefined;
  for (const { checks } of requests) {
    for (const { policy } of checks) {
      id ??= policy.id;
      if (policy.id !== id) return false;
    }
  }
  return true;
}

// Shared by the process: encoding is synchronous.
const writer = new IntegerArrayWriter();

/** Redis keys of counters, in order, and their fields as JSON, false for none; undefined if there are no fields. */
export function addressesOf(names: readonly string[]): { keys: readonly string[]; fields?: string } {
  if (!names.some(isField)) return { keys: names };
  const addresses = names.map(addressOf);
  const fields = JSON.stringify(addresses.map(({ field }) => field ?? false));
  return { keys: addresses.map(({ key }) => key), fields };
}

/** Names of counters and receipts, and the script's first argument. */
export function encodeBatch(requests: readonly StoreRequest[]): { names: string[]; payload: Buffer } {
  const keyNumbers = new Map<string, number>();
  const policyNumbers = new Map<WirePolicy, number>();
  const numberOf = (key: string) => {
    let number = keyNumbers.get(key);
    if (number === undefined) {
      number = keyNumbers.size + 1;
      keyNumbers.set(key, number);
    }
    return number;
  };
  for (const { checks } of requests) {
    for (const { policy } of checks) {
      if (!policyNumbers.has(policy)) policyNumbers.set(policy, policyNumbers.size + 1);
      const { penalty } = policy;
      if (penalty !== undefined && !policyNumbers.has(penalty))
        policyNumbers.set(penalty, policyNumbers.size + 1);
    }
  }
  writer.begin();
  writer.push(policyNumbers.size);
  for (const policy of policyNumbers.keys()) {
    for (const integer of policy.wire) writer.push(integer);
  }
  for (const { checks, peek, receipt } of requests) {
    const isLook = peek || (receipt === undefined && checks.every(({ look }) => look));
    writer.push(
      (checks.length + penaltiesIn(checks)) * 4 + (receipt === undefined ? 0 : 2) + (isLook ? 1 : 0),
    );
    if (receipt !== undefined) {
      writer.push(numberOf(receipt.key));
      writer.push(receipt.holder);
      writer.push(receipt.fingerprint);
      writer.push(receipt.keepMs);
      writer.push(receipt.expiresAfterMs);
    }
    for (const { key, policy, cost, look } of checks) {
      writer.push(numberOf(key));
      writer.push(policyNumbers.get(policy) ?? 0);
      writer.push(look === true && !isLook ? -cost : cost);
      if (policy.penalty === undefined) continue;
      writer.push(numberOf(penaltyKey(key)));
      writer.push(policyNumbers.get(policy.penalty) ?? 0);
      writer.push(0);
    }
  }
  return { names: [...keyNumbers.keys()], payload: writer.finish() };
}

function penaltiesIn(checks: readonly Check[]): number {
  let penalties = 0;
  for (let i = 0; i < checks.length; i++) if (checks[i]?.policy.penalty !== undefined) penalties++;
  return penalties;
}

/** Values for a request with a receipt; 0 is a new charge. */
const REPEATED = 1;
const CONFLICT = 2;

const IN_FLIGHT = -1;
const PENALIZED = -2;

function decodeReply(reply: unknown, requests: readonly StoreRequest[]): Decided[] {
  const { reader, nowUs } = openReply(reply);
  return readDecisions(reader, 1, nowUs, requests);
}

/** @throws BatchExpired; Error for an invalid reply */
export function openReply(reply: unknown): { reader: IntegerArrayReader; nowUs: number } {
  if (!Buffer.isBuffer(reply)) throw new Error('decide: the reply is not a string');
  const reader = new IntegerArrayReader(reply);
  const nowUs = reader.next();
  if (reader.length === 1) throw new BatchExpired(nowUs);
  return { reader, nowUs };
}

/**
 * Reads the decisions on `requests` to the end of a reply.
 * @param done integers of the reply that were read before. @throws Error if the reply has another length
 */
export function readDecisions(
  reader: IntegerArrayReader,
  done: number,
  nowUs: number,
  requests: readonly StoreRequest[],
): Decided[] {
  let expected = done;
  for (const { checks, receipt } of requests)
    expected += (checks.length + penaltiesIn(checks)) * 4 + (receipt === undefined ? 0 : 1);
  if (reader.length < expected) {
    throw new Error(`decide: ${expected} integers expected, ${reader.length} came`);
  }
  const withAttempts: CheckResult[] = [];
  const decided = requests.map(({ checks, receipt }) => {
    const repeated = receipt === undefined ? 0 : reader.next();
    // Only charged requests have a receipt.
    let allowed = true;
    const results = checks.map(({ policy }): CheckResult => {
      const outcome = reader.next();
      if (outcome <= 0 && !policy.shadow && repeated !== REPEATED) allowed = false;
      const result: CheckResult = {
        allowed: outcome > 0,
        over: outcome === 2,
        remaining: reader.next(),
        waitUs: reader.next(),
        resetAfterUs: reader.next(),
      };
      if (outcome === IN_FLIGHT) result.inFlight = true;
      else if (outcome === PENALIZED) result.penalized = true;
      if (policy.penalty !== undefined) for (let i = 0; i < 4; i++) reader.next();
      if (policy.charge === 'on_failure') withAttempts.push(result);
      return result;
    });
    return {
      available: true,
      nowUs,
      allowed,
      checks: results,
      replayed: repeated === REPEATED,
      ...(repeated === CONFLICT ? { conflict: true } : {}),
    } satisfies Decided as Decided;
  });
  if (reader.length !== expected + withAttempts.length) {
    throw new Error(`decide: ${expected + withAttempts.length} integers expected, ${reader.length} came`);
  }
  for (const result of withAttempts) result.attempts = reader.next();
  return decided;
}
