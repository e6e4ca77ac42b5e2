import { createHmac, randomBytes } from 'node:crypto';

/**
 * Standard Webhooks 1.0.0: the signature of `id.timestamp.body` as HMAC-SHA256 under the decoded bytes of a `whsec_` secret.
 * Not to be confused with Stripe's scheme, whose secrets look alike and are keys as they stand.
 * @see https://www.standardwebhooks.com
 */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export interface SignedMessage {
  /** Stays the same over all attempts. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  /** The exact text that is sent. */
  body: string;
}

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The headers of an attempt, signed with each of `secrets`: during a rotation there are two. */
export function webhookHeaders(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(message, secret)}`).join(' '),
  };
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
}
