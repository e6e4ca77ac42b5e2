import { hash, verify } from '@node-rs/argon2';

/** OWASP's recommendation for Argon2id, which is the library's default: 19 MiB, two passes, one lane; about 50 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash to store, with its parameters and salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

/** Whether `password` is the one that was hashed. A hash that cannot be read matches nothing. */
export async function verifyPassword(stored: { hash: string; password: string }): Promise<boolean> {
  return verify(stored.hash, stored.password).catch(() => false);
}
