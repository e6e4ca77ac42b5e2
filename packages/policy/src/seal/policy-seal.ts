import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** DER prefixes of the 32 bytes of an Ed25519 key (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Whether `text` is a key: 32 bytes in base64url. */
export function isSealKey(text: string): boolean {
  return KEY.test(text) && Buffer.from(text, 'base64url').length === 32;
}

/** Generates a signing key. */
export function newSigningKey(): string {
  return randomBytes(32).toString('base64url');
}

export function publicKeyOf(signingKey: string): string {
  return exportPublicKey(createPublicKey(readSigningKey(signingKey)));
}

/** @throws Error for an invalid key; the message does not contain it */
export function readSigningKey(text: string): KeyObject {
  return createPrivateKey({ key: der(PRIVATE_PREFIX, text), format: 'der', type: 'pkcs8' });
}

/** @throws Error for an invalid key */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: der(PUBLIC_PREFIX, text), format: 'der', type: 'spki' });
}

/** The id of a key in a seal. */
export function keyIdOf(publicKey: string): string {
  return hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 16);
}

export function exportPublicKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length).toString('base64url');
}

function der(prefix: Buffer, text: string): Buffer {
  if (!isSealKey(text)) throw new Error('not a key: expected 32 bytes in base64url');
  return Buffer.concat([prefix, Buffer.from(text, 'base64url')]);
}

/** The kind of a sealed record. A seal is valid for its kind only. */
export type SealKind = 'head' | 'tenant' | 'announcement' | 'confirmation';

export interface Seal {
  readonly keyId: string;
  readonly signature: Buffer;
  readonly proof: Proof;
}

/** A stored record. An unsealed record is its JSON text, which begins with a brace; no seal contains a brace. */
export interface SealedText {
  readonly seal: Seal | undefined;
  readonly text: string;
}

const SIGNATURE_BYTES = 64;
const MAX_PATH = 16;
const PATTERN = /^tgs1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{86})\.(\d{1,5})\.([A-Za-z0-9_-]*)$/;

/** Returns `tgs1.<key id>.<signature>.<index>.<path>` followed by the JSON text, on one line. */
export function writeSealed({ keyId, signature, proof }: Seal, text: string): string {
  const path = Buffer.concat(proof.path).toString('base64url');
  return `tgs1.${keyId}.${signature.toString('base64url')}.${proof.index}.${path}${text}`;
}

/** Parses a stored record; undefined if it has neither form. */
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

/** Accepts one encoding per content only: the last base64 character has unused bits. */
function readBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** The signed bytes for a tree. */
export function signedBytes(kind: SealKind, root: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`tollgate ${kind} 1\n`), root]);
}

/**
 * Records that share one signature. Larger groups are signed faster but add 43 characters to each record per doubling:
 * 100,000 records take 0.6 s in groups of 16, and 4.7 s one by one (docs/adr/0018).
 */
const GROUP = 16;

/** Seals policy records: Ed25519 over the root of a hash tree. */
export class PolicySigner {
  readonly publicKey: string;
  private readonly keyId: string;
  private readonly key: KeyObject;

  /** @param signingKey 32 bytes, base64url @throws Error for an invalid key */
  constructor(signingKey: string) {
    this.key = readSigningKey(signingKey);
    this.publicKey = exportPublicKey(createPublicKey(this.key));
    this.keyId = keyIdOf(this.publicKey);
  }

  /** @param text JSON of an object */
  seal(kind: SealKind, text: string): string {
    return this.sealGroup(kind, [text])[0] as string;
  }

  /** As `seal` for each text, with one signature per group. */
  sealAll(kind: SealKind, texts: readonly string[]): string[] {
    const sealed: string[] = [];
    for (let i = 0; i < texts.length; i += GROUP)
      sealed.push(...this.sealGroup(kind, texts.slice(i, i + GROUP)));
    return sealed;
  }

  private sealGroup(kind: SealKind, texts: readonly string[]): string[] {
    const { root, proofs } = buildTree(texts);
    const signature = sign(null, signedBytes(kind, root), this.key);
    return proofs.map((proof, i) => writeSealed({ keyId: this.keyId, signature, proof }, texts[i] as string));
  }
}

/** Cached valid signatures: further records of a group only cost hashes, 5 µs instead of 110. */
const MAX_KNOWN = 10_000;

/** A record that the control plane did not write; the message names the reason. */
export class SealError extends Error {
  override name = 'SealError';
}

/** Trusted public keys, several during a key rotation; `unsigned`: seals are not verified. */
export type PolicyKeys = readonly string[] | 'unsigned';

/** Verifies and opens sealed policy records. */
export class PolicyVerifier {
  private readonly keys: ReadonlyMap<string, KeyObject> | undefined;
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN });

  /** @throws Error for an invalid key and for an empty list */
  constructor(keys: PolicyKeys) {
    if (keys === 'unsigned') return;
    if (keys.length === 0) throw new Error('no public key: configure one, or set policy to unsigned');
    this.keys = new Map(keys.map((key) => [keyIdOf(key), readPublicKey(key)]));
  }

  /** Returns the sealed text. @throws SealError */
  open(kind: SealKind, value: string): string {
    const sealed = readSealed(value);
    if (sealed === undefined) throw new SealError('not a record');
    if (this.keys !== undefined) this.check(kind, sealed.seal, sealed.text);
    return sealed.text;
  }

  /** As `open`; undefined instead of an error, and for a missing value. */
  tryOpen(kind: SealKind, value: string | null | undefined): string | undefined {
    try {
      return value == null ? undefined : this.open(kind, value);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  private check(kind: SealKind, seal: Seal | undefined, text: string): void {
    if (seal === undefined) throw new SealError('not signed');
    const key = this.keys?.get(seal.keyId);
    if (key === undefined) throw new SealError(`signed by untrusted key ${seal.keyId}`);
    const bytes = signedBytes(kind, rootOf(text, seal.proof));
    const name = `${bytes.toString('base64')} ${seal.signature.toString('base64')}`;
    if (this.known.has(name)) return;
    if (!verify(null, bytes, key, seal.signature))
      throw new SealError('the signature does not match the content');
    this.known.set(name, true);
  }
}

/** Leaves and nodes are hashed with different prefixes, so that a node cannot be presented as a leaf. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Bytes of one hash. */
export const HASH_BYTES = 32;

/** Index of a text in a tree, and the sibling hashes on the path to the root. */
export interface Proof {
  readonly index: number;
  readonly path: readonly Buffer[];
}

/** The root over `texts`, at least one, and a proof for each text. */
export function buildTree(texts: readonly string[]): { root: Buffer; proofs: Proof[] } {
  const levels: Buffer[][] = [texts.map(leafOf)];
  for (let level = levels[0] ?? []; level.length > 1; ) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) above.push(nodeOf(at(level, i), level[i + 1]));
    levels.push(above);
    level = above;
  }
  const proofs = texts.map((_, index) => ({ index, path: pathOf(levels, index) }));
  return { root: at(levels.at(-1) ?? [], 0), proofs };
}

/** The root for a text and its proof. Any change of text, index or path results in a different root. */
export function rootOf(text: string, { index, path }: Proof): Buffer {
  let root = leafOf(text);
  let position = index;
  for (const sibling of path) {
    root = position % 2 === 0 ? nodeOf(root, sibling) : nodeOf(sibling, root);
    position = Math.floor(position / 2);
  }
  return root;
}

function pathOf(levels: readonly Buffer[][], index: number): Buffer[] {
  const path: Buffer[] = [];
  let position = index;
  for (const level of levels.slice(0, -1)) {
    // The last node of an odd level is its own sibling.
    path.push(level[position % 2 === 0 ? position + 1 : position - 1] ?? at(level, position));
    position = Math.floor(position / 2);
  }
  return path;
}

function leafOf(text: string): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer');
}

function nodeOf(left: Buffer, right: Buffer = left): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

// Levels are dense arrays.
function at(level: readonly Buffer[], index: number): Buffer {
  return level[index] as Buffer;
}
