import { randomBytes } from 'node:crypto';
import type { LookupFunction, Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { buildConnector, Client } from 'undici';
import { AppConfig } from '../../../config/app-config.js';
import { type Target, TargetPolicy } from './target-address.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays after failures (Standard Webhooks). After the last the delivery is dead. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/** Spreads retries of deliveries that failed together. */
const JITTER = 0.2;

const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** Milliseconds; undefined after the last failure. @param random from 0 to less than 1 */
export function retryDelayMs(
  attempts: number,
  random: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const base = DELAYS_MS[attempts - 1];
  if (base === undefined) return undefined;
  const spread = Math.round(base * (1 + JITTER * random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** Milliseconds from now; undefined if `value` is neither seconds nor a date. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const atMs = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

const SECRET_BYTES = 32;

export interface SignedMessage {
  /** The same for all attempts. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  /** The exact text to send. */
  body: string;
}

/** A secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Headers of Standard Webhooks 1.0.0. Signed with each secret; there are two during a rotation. */
export function webhookHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const at = new Date(timestamp * SECOND);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

/** Each informational (1xx) response restarts the client's timeout. */
const MAX_INFORMATIONAL = 10;

export interface AttemptResult {
  delivered: boolean;
  /** Null: no final response. */
  statusCode: number | null;
  /** Null if delivered. Never contains text sent by the receiver. */
  error: string | null;
  retryAfterMs: number | undefined;
  durationMs: number;
}

interface Answer {
  statusCode: number;
  retryAfter: string | undefined;
}

interface Exchange {
  signal: AbortSignal;
  fail(error: Error): void;
}

/** Sends once over a new connection to an allowed address, without following redirects or reading a body. */
@Injectable()
export class WebhookSender {
  readonly targets: TargetPolicy;
  /** For the whole exchange. */
  private readonly timeoutMs: number;

  constructor(config: AppConfig) {
    this.timeoutMs = config.webhookTimeoutMs;
    this.targets = new TargetPolicy(config.webhookAllowedNetworks);
  }

  /** Never rejects. The connection is closed afterwards. */
  async send(url: string, headers: Record<string, string>, body: string): Promise<AttemptResult> {
    const startMs = performance.now();
    const end = new AbortController();
    const { promise: failure, reject: fail } = Promise.withResolvers<never>();
    const timer = setTimeout(() => fail(new Error('timed out')), this.timeoutMs);
    const durationMs = () => Math.round(performance.now() - startMs);
    try {
      const exchange = { signal: end.signal, fail };
      const answer = await Promise.race([this.exchange(exchange, url, headers, body), failure]);
      const { statusCode, retryAfter } = answer;
      const delivered = statusCode >= 200 && statusCode < 300;
      const error = delivered ? null : errorOf(statusCode);
      const retryAfterMs = parseRetryAfter(retryAfter, Date.now());
      return { delivered, statusCode, error, retryAfterMs, durationMs: durationMs() };
    } catch (error) {
      const reason = reasonOf(error).slice(0, 200);
      return {
        delivered: false,
        statusCode: null,
        error: reason,
        retryAfterMs: undefined,
        durationMs: durationMs(),
      };
    } finally {
      clearTimeout(timer);
      end.abort();
    }
  }

  private async exchange(
    exchange: Exchange,
    url: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<Answer> {
    const target = await this.targets.find(url, exchange.signal);
    if ('problem' in target) throw new Error(target.problem);
    exchange.signal.throwIfAborted();
    const client = connectTo(target, exchange.signal, this.timeoutMs);
    let informational = 0;
    const response = await client.request({
      method: 'POST',
      path: target.url.pathname + target.url.search,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Tollgate-Webhooks/1' },
      body,
      onInfo: () => {
        informational += 1;
        if (informational > MAX_INFORMATIONAL) exchange.fail(new Error('too many informational responses'));
      },
    });
    // The connection is closed before the body is read.
    response.body.on('error', () => undefined);
    const retryAfter = response.headers['retry-after'];
    return {
      statusCode: response.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  }
}

/** The socket is destroyed when `signal` aborts, also while it is connecting. */
function connectTo({ url, address, family }: Target, signal: AbortSignal, timeoutMs: number): Client {
  const connector = buildConnector({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: timeoutMs,
    // Connect to the checked address: the name may resolve to another one by now.
    lookup: pinnedTo(address, family),
  });
  let socket: Socket | undefined;
  const client = new Client(url.origin, {
    connect: (options, callback) => {
      // undici's types omit that its connector returns the socket.
      socket = connector(options, callback) as unknown as Socket;
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  signal.addEventListener(
    'abort',
    () => {
      socket?.destroy();
      client.destroy().catch(() => undefined);
    },
    { once: true },
  );
  return client;
}

function pinnedTo(address: string, family: 4 | 6): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function errorOf(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) return `returned ${statusCode}; redirects are not followed`;
  return `returned ${statusCode}`;
}

/** undici's own timeouts, reported like ours. */
const TIMEOUTS: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'];

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { name, message, code } = error as Error & { code?: string };
  if (TIMEOUTS.includes(code)) return 'timed out';
  // undici asserts the order of its parser's events.
  if (name === 'HTTPParserError' || code === 'ERR_ASSERTION') return 'invalid HTTP response';
  // Messages of undici are fixed texts, such as "other side closed".
  return code === undefined || code.startsWith('UND_ERR_') ? message : code;
}
