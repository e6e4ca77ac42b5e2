import { HASH_BYTES, type Proof } from './merkle.js';

/** What is sealed; a seal of one kind is worth nothing for another. */
export type SealKind = 'head' | 'tenant' | 'announcement' | 'confirmation';

export interface Seal {
  readonly keyId: string;
  readonly signature: Buffer;
  readonly proof: Proof;
}

/** A record as it is stored. The text begins with a brace, which no seal has: one without a seal is the text itself. */
export interface SealedText {
  readonly seal: Seal | undefined;
  readonly text: string;
}

const SIGNATURE_BYTES = 64;
const MAX_PATH = 16;
const PATTERN = /^tgs1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{86})\.(\d{1,5})\.([A-Za-z0-9_-]*)$/;

/** `tgs1.<key id>.<signature>.<index>.<path>` and the JSON text, on one line. */
export function writeSealed({ keyId, signature, proof }: Seal, text: string): string {
  const path = Buffer.concat(proof.path).toString('base64url');
  return `tgs1.${keyId}.${signature.toString('base64url')}.${proof.index}.${path}${text}`;
}

/** Takes a stored record apart; undefined when it has neither form. */
export function readSealed(value: string): SealedText | undefined {
  const begin = value.indexOf('{');
  if (begin < 0) return undefined;
  const text = value.slice(begin);
  if (begin === 0) return { seal: undefined, text };
  const match = PATTERN.exec(value.slice(0, begin));
  if (match === null) return undefined;
  const [, keyId = '', signatureText = '', index, pathText = ''] = match;
  const signature = readBytes(signatureText);
  const path = readBytes(pathText);
  const steps = (path?.length ?? 0) / HASH_BYTES;
  if (signature?.length !== SIGNATURE_BYTES || path === undefined) return undefined;
  if (!Number.isInteger(steps) || steps > MAX_PATH || Number(index) >= 2 ** steps) return undefined;
  const hashes = Array.from({ length: steps }, (_, i) => path.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  return { seal: { keyId, signature, proof: { index: Number(index), path: hashes } }, text };
}

/** One text for each content: the last character of base64 has bits that say nothing. */
function readBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** The bytes that are signed for a tree. */
export function signedBytes(kind: SealKind, root: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`tollgate ${kind} 1\n`), root]);
}
