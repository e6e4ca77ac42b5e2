import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { parseRetryAfter } from './retry-schedule.js';
import { type Target, TargetPolicy } from './target-address.js';

export interface AttemptResult {
  delivered: boolean;
  /** Null: no answer. */
  statusCode: number | null;
  /** Null when delivered. What happened, never what was answered. */
  error: string | null;
  retryAfterMs: number | undefined;
  durationMs: number;
}

/** Sends one event once. Reaches nothing that the target policy does not allow, follows nowhere, reads no answer. */
@Injectable()
export class WebhookSender {
  readonly targets: TargetPolicy;
  /** From the first byte sent to the last header received; a receiver that trickles them gains no more. */
  private readonly timeoutMs: number;

  constructor(config: AppConfig) {
    this.timeoutMs = config.webhookTimeoutMs;
    this.targets = new TargetPolicy(config.webhookAllowedNetworks);
  }

  /** Never rejects. */
  async send(url: string, headers: Record<string, string>, body: string): Promise<AttemptResult> {
    const startedMs = Date.now();
    const failed = (error: string): AttemptResult => ({
      delivered: false,
      statusCode: null,
      error: error.slice(0, 200),
      retryAfterMs: undefined,
      durationMs: Date.now() - startedMs,
    });
    try {
      const target = await this.targets.find(url);
      if ('problem' in target) return failed(target.problem);
      const { statusCode, retryAfter } = await post(
        target,
        headers,
        body,
        AbortSignal.timeout(this.timeoutMs),
      );
      const delivered = statusCode >= 200 && statusCode < 300;
      return {
        delivered,
        statusCode,
        error: delivered ? null : errorOf(statusCode),
        retryAfterMs: parseRetryAfter(retryAfter, Date.now()),
        durationMs: Date.now() - startedMs,
      };
    } catch (error) {
      return failed(reasonOf(error));
    }
  }
}

function post(
  { url, address, family }: Target,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ statusCode: number; retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Tollgate-Webhooks/1',
      },
      signal,
      agent: false as const,
      // The address that was checked, whatever the name says by now.
      lookup: pinnedTo(address, family),
    };
    const sent: ClientRequest =
      url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
    sent.on('response', (response) => {
      resolve({ statusCode: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function pinnedTo(address: string, family: 4 | 6): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function errorOf(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) return `answered ${statusCode}; redirects are not followed`;
  return `answered ${statusCode}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time';
  return 'code' in error ? String(error.code) : error.message;
}
