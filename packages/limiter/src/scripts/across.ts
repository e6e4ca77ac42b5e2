import type { Redis } from 'ioredis';
import { DECIDE_ACROSS_SCRIPT } from '../generated/scripts.js';
import type { Decided, StoreRequest } from '../stores/decision-store.js';
import { addressesOf, type CallTiming, encodeBatch, openReply, readDecisions } from './decide.js';
import { runScript, type Script, scriptOf } from './script.js';

const script = scriptOf(DECIDE_ACROSS_SCRIPT);

/** Code of the error if the server does not permit scripts to use several slots; nothing was charged. */
export const NO_ACROSS = 'NOACROSS';

/** Reply to a request with a key that the server does not serve now: neither decided nor charged. */
export interface Elsewhere {
  readonly elsewhere: true;
  /** The server's time, microseconds since the Unix epoch. */
  readonly nowUs: number;
}

/**
 * Decides `requests` in order, with keys in any slots of one master. Each key must have policies of one id: see {@link
 * splitByPolicyId}.
 * @throws BatchExpired; connection errors; {@link NO_ACROSS}; Error for an invalid reply
 */
export async function sendAcross(
  redis: Redis,
  requests: readonly StoreRequest[],
  { nowUs, expiresAtUs }: CallTiming = {},
): Promise<(Decided | Elsewhere)[]> {
  const { names, payload } = encodeBatch(requests);
  const { keys, fields } = addressesOf(names);
  const args = [payload, nowUs?.toFixed(0) ?? '', expiresAtUs?.toFixed(0) ?? ''];
  return decodeReply(await runAcross(redis, script, keys, args, fields), requests);
}

/** Marks of charged requests (MARKED in parts/constants.lua). */
export interface Marks {
  /** One per key of the run, '' for none. */
  readonly keys: readonly string[];
  readonly keepMs: number;
}

/** Runs a variant of a script for keys in any slots of one master (parts/keys-across.lua); the first key routes the call. */
export function runAcross(
  redis: Redis,
  variant: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
  fields?: string,
  marks?: Marks,
): Promise<unknown> {
  const own: (string | Buffer)[] = fields === undefined && marks === undefined ? [] : [fields ?? ''];
  if (marks !== undefined) own.push(packTexts(marks.keys), String(marks.keepMs));
  return runScript(redis, variant, keys.slice(0, 1), [...args, packTexts(keys), ...own]);
}

function decodeReply(reply: unknown, requests: readonly StoreRequest[]): (Decided | Elsewhere)[] {
  const { reader, nowUs } = openReply(reply);
  const count = reader.next();
  const elsewhere = new Set(Array.from({ length: count }, () => reader.next() - 1));
  const here = count === 0 ? requests : requests.filter((_, i) => !elsewhere.has(i));
  const decided: readonly Decided[] = readDecisions(reader, 2 + count, nowUs, here);
  let next = 0;
  return requests.map((_, i) =>
    elsewhere.has(i) ? { elsewhere: true, nowUs } : (decided[next++] as Decided),
  );
}

// Shared by the process: encoding is synchronous.
let bytes = Buffer.allocUnsafe(32_768);

/** A MessagePack array of texts of up to 65,535 bytes. */
function packTexts(texts: readonly string[]): Buffer {
  bytes[0] = 0xdd;
  let at = bytes.writeUInt32BE(texts.length, 1);
  for (const text of texts) {
    if (at + 3 + text.length * 3 > bytes.length) {
      const larger = Buffer.allocUnsafe((bytes.length + text.length) * 3);
      bytes.copy(larger, 0, 0, at);
      bytes = larger;
    }
    const length = bytes.write(text, at + 3);
    bytes[at] = 0xda;
    bytes.writeUInt16BE(length, at + 1);
    at += 3 + length;
  }
  return Buffer.from(bytes.subarray(0, at));
}
