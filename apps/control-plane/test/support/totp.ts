import { totpOfStep } from '../../src/features/identity/auth/second-factors.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of an `otpauth://` URI (RFC 6238). @param later number of codes after the current one */
export function totpOf(uri: string, later = 0): string {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const bits = [...secret.toUpperCase()]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return totpOfStep(key, Math.floor(Date.now() / 30_000) + later);
}
