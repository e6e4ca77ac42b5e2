import { createHash, createHmac } from 'node:crypto';

/** Block size of SHA-256. */
const BLOCK_BYTES = 64;

/** Signs the scope of a transaction; also in the form of the table `scope_key`. */
export interface ScopeKey {
  id: string;
  key: Buffer;
  innerPad: Buffer;
  outerPad: Buffer;
}

export function scopeKeyOf(secret: string): ScopeKey {
  const key = createHmac('sha256', secret).update('tollgate database scope').digest();
  const padded = Buffer.concat([key, Buffer.alloc(BLOCK_BYTES - key.length)]);
  const pad = (byte: number) => Buffer.from(padded.map((one) => one ^ byte));
  return {
    id: createHash('sha256').update(key).digest('hex').slice(0, 12),
    key,
    innerPad: pad(0x36),
    outerPad: pad(0x5c),
  };
}

/** Value of a setting that row-level security accepts as `claim`. */
export function signSetting({ id, key }: ScopeKey, setting: string, claim: string): string {
  const signature = createHmac('sha256', key).update(`${setting}=${claim}`).digest('hex');
  return `${claim}#${id}#${signature}`;
}
