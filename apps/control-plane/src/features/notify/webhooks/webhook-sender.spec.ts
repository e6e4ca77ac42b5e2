import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  MAX_ATTEMPTS,
  newWebhookSecret,
  parseRetryAfter,
  retryDelayMs,
  webhookHeaders,
} from './webhook-sender.js';

describe('webhook signatures', () => {
  it('match the published test vector', () => {
    const message = {
      id: 'msg_tgvector0001',
      timestamp: 1_767_225_600,
      body: '{"type":"quota.upgraded","timestamp":"2026-01-01T00:00:00Z","data":{"tenant":"t_1","limit":1000}}',
    };
    const headers = webhookHeaders(message, ['whsec_dG9sbGdhdGUtdGVzdC12ZWN0b3Itc2VjcmV0LTAwMDE=']);
    expect(headers['webhook-signature']).toBe('v1,gPqx62e13ek2fL9l1cdVCgNmT6PdVItOrQIX1KDT3fo=');
  });

  it('verify with both secrets during a rotation', () => {
    const [fresh, old] = [newWebhookSecret(), newWebhookSecret()];
    const body = '{"type":"purchase.paid","data":{"name":"Zoë 🚀"}}';
    const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body };
    const headers = webhookHeaders(message, [fresh, old]);
    for (const secret of [fresh, old])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
    expect(() => new Webhook(fresh).verify(body.replace('paid', 'lost'), headers)).toThrow();
  });
});

describe('the retry schedule', () => {
  it('retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then never', () => {
    const hours = Array.from({ length: MAX_ATTEMPTS }, (_, i) => retryDelayMs(i + 1, 0, undefined));
    expect(hours.map((ms) => (ms === undefined ? null : ms / 1000))).toEqual([
      5,
      300,
      1800,
      7200,
      18_000,
      36_000,
      50_400,
      72_000,
      86_400,
      null,
    ]);
  });

  it('adds up to 20 % jitter', () => {
    expect(retryDelayMs(1, 0.999_999, undefined)).toBe(6000);
  });

  it('honors Retry-After up to a day', () => {
    expect(retryDelayMs(1, 0, 60_000)).toBe(60_000);
    expect(retryDelayMs(2, 0, 60_000)).toBe(300_000);
    expect(retryDelayMs(1, 0, 1e12)).toBe(86_400_000);
  });

  it('parses seconds and dates of Retry-After', () => {
    const now = Date.UTC(2026, 10, 21, 9);
    expect(parseRetryAfter('120', now)).toBe(120_000);
    expect(parseRetryAfter('Sat, 21 Nov 2026 09:00:30 GMT', now)).toBe(30_000);
    expect(parseRetryAfter('Sat, 21 Nov 2026 08:00:00 GMT', now)).toBe(0);
    for (const junk of [undefined, '', '-1', '1e9', 'soon', '99999999999']) {
      expect(parseRetryAfter(junk, now)).toBeUndefined();
    }
  });
});
