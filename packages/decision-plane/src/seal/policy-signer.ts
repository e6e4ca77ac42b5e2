import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { buildTree } from './merkle.js';
import { exportPublicKey, keyIdOf, readSigningKey } from './seal-keys.js';
import { type SealKind, signedBytes, writeSealed } from './sealed-text.js';

/**
 * Records that share one signature. More would sign faster and make each record longer by 43 characters for every
 * doubling: 100,000 records take 0.6 s in groups of 16, and 4.7 s one by one (docs/adr/0018).
 */
const GROUP = 16;

/** Seals policy: Ed25519 over the root of a tree of hashes. */
export class PolicySigner {
  readonly publicKey: string;
  private readonly keyId: string;
  private readonly key: KeyObject;

  /** @param signingKey 32 bytes, base64url @throws Error for what is not a key */
  constructor(signingKey: string) {
    this.key = readSigningKey(signingKey);
    this.publicKey = exportPublicKey(createPublicKey(this.key));
    this.keyId = keyIdOf(this.publicKey);
  }

  /** @param text JSON of an object */
  seal(kind: SealKind, text: string): string {
    return this.sealGroup(kind, [text])[0] as string;
  }

  /** As `seal` for each, with one signature for every few. */
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
