import { type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { rootOf } from './merkle.js';
import { keyIdOf, readPublicKey } from './seal-keys.js';
import { readSealed, type Seal, type SealKind, signedBytes } from './sealed-text.js';

/** Signatures that were found right: the other records of their group cost hashes only, 5 µs against 110. */
const MAX_KNOWN = 10_000;

/** A record that is not what the control plane wrote; the message says in what. */
export class SealError extends Error {
  override name = 'SealError';
}

/** Public keys that are trusted, several while one takes the place of another; or that seals are not asked for. */
export type PolicyKeys = readonly string[] | 'unsigned';

/** Takes policy from its seal, and only from one that a trusted key made. */
export class PolicyVerifier {
  private readonly keys: ReadonlyMap<string, KeyObject> | undefined;
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN });

  /** @throws Error for a key that is none, and for an empty list of them */
  constructor(keys: PolicyKeys) {
    if (keys === 'unsigned') return;
    if (keys.length === 0) throw new Error('no public key: name one, or say that policy is unsigned');
    this.keys = new Map(keys.map((key) => [keyIdOf(key), readPublicKey(key)]));
  }

  /** The text under the seal. @throws SealError */
  open(kind: SealKind, value: string): string {
    const sealed = readSealed(value);
    if (sealed === undefined) throw new SealError('it is not a record');
    if (this.keys !== undefined) this.check(kind, sealed.seal, sealed.text);
    return sealed.text;
  }

  /** As `open`; undefined where that throws, and for nothing. */
  tryOpen(kind: SealKind, value: string | null | undefined): string | undefined {
    try {
      return value == null ? undefined : this.open(kind, value);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }

  private check(kind: SealKind, seal: Seal | undefined, text: string): void {
    if (seal === undefined) throw new SealError('it is not signed');
    const key = this.keys?.get(seal.keyId);
    if (key === undefined)
      throw new SealError(`it is signed by key ${seal.keyId}, which is not trusted here`);
    const bytes = signedBytes(kind, rootOf(text, seal.proof));
    const name = `${bytes.toString('base64')} ${seal.signature.toString('base64')}`;
    if (this.known.has(name)) return;
    if (!verify(null, bytes, key, seal.signature))
      throw new SealError('its signature does not match its content');
    this.known.set(name, true);
  }
}
