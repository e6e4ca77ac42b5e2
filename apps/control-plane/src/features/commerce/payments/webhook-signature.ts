import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the time of signing may be from ours, in either direction. */
const TOLERANCE_S = 300;
/** While a secret is replaced there are two; nobody needs more than this. */
const MAX_CANDIDATES = 8;
const MAX_HEADER_LENGTH = 1000;

const PART = /^([a-z][a-z0-9]{0,15})=([^,=\s]+)$/;
const TIME = /^(?:0|[1-9]\d{0,11})$/;
const HEX_DIGEST = /^[0-9a-f]{64}$/;

export type SignatureVerdict = 'ok' | 'malformed' | 'too-old' | 'from-the-future' | 'not-ours';

interface SignedBody {
  /** Each value of the header as it was sent: there has to be one. */
  headers: readonly string[];
  /** The bytes as they came: a body that was read and written again is another one. */
  body: Uint8Array;
  nowMs: number;
}

/**
 * Verifies a signature in Stripe's form, `t=<seconds>,v1=<hex>[,v1=<hex>…]`, over `t.body` with any of `secrets`; the key
 * is the whole text of a secret. Stricter than the libraries: digits only, one time, one header, a window on both sides.
 * Other schemes than `v1` count for nothing. Says nothing of whether the event was seen before.
 */
export function verifySignature(
  { headers, body, nowMs }: SignedBody,
  secrets: readonly string[],
): SignatureVerdict {
  const parsed = headers.length === 1 ? parseHeader(headers[0] as string) : undefined;
  if (parsed === undefined) return 'malformed';
  const ageS = Math.floor(nowMs / 1000) - Number(parsed.time);
  if (ageS > TOLERANCE_S) return 'too-old';
  if (ageS < -TOLERANCE_S) return 'from-the-future';
  let isOurs = false;
  for (const secret of secrets) {
    const expected = digest(secret, parsed.time, body);
    for (const candidate of parsed.candidates) {
      // No early way out: how long it takes tells nothing of which secret it was.
      if (timingSafeEqual(expected, Buffer.from(candidate, 'hex'))) isOurs = true;
    }
  }
  return isOurs ? 'ok' : 'not-ours';
}

/** The header for a body that is signed at `nowMs`. */
export function signBody(body: Uint8Array, secret: string, nowMs: number): string {
  const time = String(Math.floor(nowMs / 1000));
  return `t=${time},v1=${digest(secret, time, body).toString('hex')}`;
}

function digest(secret: string, time: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest();
}

function parseHeader(header: string): { time: string; candidates: string[] } | undefined {
  if (header.length > MAX_HEADER_LENGTH) return undefined;
  const parts = header.split(',').map((part) => PART.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  const valuesOf = (name: string) => parts.flatMap((part) => (part?.[1] === name ? [part[2] as string] : []));
  const [time, ...moreTimes] = valuesOf('t');
  const candidates = valuesOf('v1');
  const isUsable =
    time !== undefined &&
    moreTimes.length === 0 &&
    TIME.test(time) &&
    candidates.length > 0 &&
    candidates.length <= MAX_CANDIDATES &&
    candidates.every((candidate) => HEX_DIGEST.test(candidate));
  return isUsable ? { time, candidates } : undefined;
}
