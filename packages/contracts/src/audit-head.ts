import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from './audit-chain.js';

/** Signed at verification: a chain that is truncated later is shorter than its head. */
export const signedHeadSchema = z.strictObject({
  version: z.literal(1),
  chain: z.string().min(1).max(100),
  sequence: z.int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
  /** First 16 hex digits of the SHA-256 of the public key. */
  keyId: z.string().regex(/^[0-9a-f]{16}$/),
  signature: z.string().max(200),
});

export type SignedHead = z.infer<typeof signedHeadSchema>;
export type UnsignedHead = Pick<SignedHead, 'chain' | 'sequence' | 'hash' | 'at'>;

/** Precedes the 32 bytes of an Ed25519 seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Derives the key pair from a secret, so that all processes of a deployment have the same. */
export class HeadSigner {
  readonly publicKey: string;
  readonly keyId: string;
  private readonly privateKey: KeyObject;
  private readonly verifyKey: KeyObject;

  constructor(secret: string) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'tollgate audit heads v1', 32));
    this.privateKey = createPrivateKey({
      key: Buffer.concat([PKCS8_PREFIX, seed]),
      format: 'der',
      type: 'pkcs8',
    });
    this.verifyKey = createPublicKey(this.privateKey);
    this.publicKey = this.verifyKey.export({ format: 'pem', type: 'spki' }).toString();
    this.keyId = keyIdOf(this.verifyKey);
  }

  sign({ chain, sequence, hash, at }: UnsignedHead): SignedHead {
    const head = { version: 1 as const, chain, sequence, hash, at, keyId: this.keyId };
    return { ...head, signature: sign(null, signedText(head), this.privateKey).toString('base64url') };
  }

  verify(head: SignedHead): boolean {
    return isSignedBy(this.verifyKey, head);
  }
}

/** @param publicKey PEM */
export function headIsSignedBy(publicKey: string, head: SignedHead): boolean {
  return isSignedBy(createPublicKey(publicKey), head);
}

function isSignedBy(key: KeyObject, head: SignedHead): boolean {
  const { signature, ...rest } = head;
  return (
    head.keyId === keyIdOf(key) && verify(null, signedText(rest), key, Buffer.from(signature, 'base64url'))
  );
}

function signedText(head: Omit<SignedHead, 'signature'>): Buffer {
  return Buffer.from(canonicalJson(head));
}

function keyIdOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 16);
}
