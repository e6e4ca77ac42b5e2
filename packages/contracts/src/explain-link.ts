import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import * as z from 'zod';
import { REASONS, type Reason } from './answers.js';
import { apiKeySchema, limitNameSchema, operationNameSchema, tenantKeySchema } from './names.js';
import type { Peppers } from './service-token.js';

/**
 * Links from denied requests to their explanation. A link contains what the response contained, and sealed, for signed-in
 * readers, whose request it was:
 * `<console>/explain#<pepper version>.<reason>.<limit>.<sealed origin>.<time>.<retry after>.<request id>.<MAC>`.
 * Nodes and the control plane derive the keys from `TOKEN_PEPPER`, so a link cannot be forged, changed or guessed.
 */

/** How long links are valid. */
export const EXPLAIN_LINK_MS = 7 * 86_400_000;

/** Page in the console. The link follows the `#`, so that no server or proxy logs it. */
export const EXPLAIN_PATH = '/explain#';

/** Characters of base64url: 132 bits. */
const MAC_LENGTH = 22;

/** What the response contained; limits that are hidden from headers are null. */
const deniedSchema = z.object({
  requestId: z.string(),
  /** Unix ms. */
  at: z.int(),
  reason: z.enum(REASONS),
  limit: limitNameSchema.nullable(),
  /** Seconds; null: never. */
  retryAfter: z.int().nullable(),
});

/** Whose request it was, and what is needed to explain it without a sample. */
const originSchema = z.object({
  tenant: tenantKeySchema,
  api: apiKeySchema,
  operation: operationNameSchema,
  limit: limitNameSchema.nullable(),
  revision: z.int().min(0),
  /** Id of the subject rule that decided or changed the limit. */
  rule: z.string().max(64).nullable(),
});

export type DeniedRequest = z.infer<typeof deniedSchema>;
export type RequestOrigin = z.infer<typeof originSchema>;

interface Keys {
  /** As long as a block of SHA-256, and ASCII. */
  readonly mac: string;
  readonly seal: KeyObject;
  readonly nonce: KeyObject;
}

function keysOf(pepper: string): Keys {
  const derive = (use: string) =>
    createHmac('sha256', pepper).update(`tollgate: explain links: ${use}`).digest();
  return {
    mac: derive('mac').toString('hex'),
    seal: createSecretKey(derive('seal')),
    nonce: createSecretKey(derive('nonce')),
  };
}

/** Beginnings of links that are kept: the denials of a tenant mostly repeat. */
const MAX_KEPT = 2000;

/** Makes links on a node, in about a microsecond, without a request to Redis. */
export class ExplainLinkMinter {
  private readonly keys: Keys;
  private readonly innerPad: string;
  private readonly outer: Buffer;
  private readonly kept = new Map<string, string>();

  /** @param consoleUrl address of the console, without a slash at the end @param version of the pepper */
  constructor(
    private readonly consoleUrl: string,
    private readonly version: number,
    pepper: string,
  ) {
    this.keys = keysOf(pepper);
    const { mac } = this.keys;
    const padded = (pad: number) => Buffer.from(mac, 'latin1').map((byte) => byte ^ pad);
    this.innerPad = Buffer.from(padded(0x36)).toString('latin1');
    this.outer = Buffer.concat([padded(0x5c), Buffer.alloc(32)]);
  }

  /** The URL of the explanation of a denied request. */
  mint({ requestId, at, reason, limit, retryAfter }: DeniedRequest, origin: RequestOrigin): string {
    const facts = `${this.beginningOf(reason, limit, origin)}.${at}.${retryAfter ?? ''}.`;
    const mac = this.macOf(facts + requestId);
    return `${this.consoleUrl}${EXPLAIN_PATH}${facts}${encodeURIComponent(requestId)}.${mac}`;
  }

  /** HMAC-SHA256 by two calls of `hash`, which take half the time of `createHmac`. The pads of an ASCII key are ASCII. */
  private macOf(text: string): string {
    this.outer.write(hash('sha256', this.innerPad + text, 'binary'), this.outer.length - 32, 'latin1');
    return hash('sha256', this.outer, 'base64url').slice(0, MAC_LENGTH);
  }

  private beginningOf(reason: Reason, shown: string | null, origin: RequestOrigin): string {
    const { tenant, api, operation, limit, revision, rule } = origin;
    const text = `${tenant}\n${api}\n${operation}\n${limit ?? ''}\n${revision}\n${rule ?? ''}`;
    const name = `${reason}${shown ?? ''}\n${text}`;
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    const beginning = `${this.version}.${reason}.${shown ?? ''}.${seal(this.keys, text)}`;
    this.kept.set(name, beginning);
    return beginning;
  }
}

export interface OpenedLink {
  denied: DeniedRequest;
  origin: RequestOrigin;
}

const FORM =
  /^([0-9]{1,7})\.([A-Z_]{1,32})\.([a-z0-9-]{0,48})\.([A-Za-z0-9_-]{1,512})\.([0-9]{1,16})\.([0-9]{0,16})\.([\x21-\x7e]{1,128})$/;

/**
 * Undefined if the link is invalid, expired or made with an unknown pepper.
 * @param link the part of the URL after {@link EXPLAIN_PATH}, with its percent-encoding decoded
 */
export function openExplainLink(link: string, peppers: Peppers, nowMs: number): OpenedLink | undefined {
  const text = link.slice(0, -MAC_LENGTH - 1);
  const [, version, reason, shown, sealed = '', at, wait, requestId] = FORM.exec(text) ?? [];
  const pepper = peppers.get(Number(version));
  if (pepper === undefined) return undefined;
  const keys = keysOf(pepper);
  const mac = createHmac('sha256', keys.mac).update(text).digest('base64url').slice(0, MAC_LENGTH);
  const given = Buffer.from(link.slice(text.length));
  const expected = Buffer.from(`.${mac}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [tenant, api, operation, limit, revision, rule] = (unseal(keys, sealed) ?? '').split('\n');
  const denied = deniedSchema.safeParse({
    ...{ requestId, reason, at: Number(at), limit: shown || null },
    retryAfter: wait === '' ? null : Number(wait),
  });
  const origin = originSchema.safeParse({
    ...{ tenant, api, operation, limit: limit || null, revision: Number(revision), rule: rule || null },
  });
  if (!denied.success || !origin.success || nowMs > denied.data.at + EXPLAIN_LINK_MS) return undefined;
  return { denied: denied.data, origin: origin.data };
}

const NONCE_BYTES = 16;

/** AES-256-CTR with a MAC of the text as nonce: equal texts have equal results, others never share a key stream. */
function seal({ seal: key, nonce: nonceKey }: Keys, text: string): string {
  const nonce = createHmac('sha256', nonceKey).update(text).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv('aes-256-ctr', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'latin1'), cipher.final()]).toString('base64url');
}

function unseal({ seal: key, nonce: nonceKey }: Keys, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', key, nonce);
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES)), decipher.final()]);
  const expected = createHmac('sha256', nonceKey).update(text).digest().subarray(0, NONCE_BYTES);
  return timingSafeEqual(nonce, expected) ? text.toString('latin1') : undefined;
}
