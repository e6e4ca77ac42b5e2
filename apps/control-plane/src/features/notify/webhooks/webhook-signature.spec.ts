import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret, webhookHeaders } from './webhook-signature.js';

describe('the signature of an outgoing event', () => {
  it('is the one of the published vector', () => {
    const message = {
      id: 'msg_tgvector0001',
      timestamp: 1_767_225_600,
      body: '{"type":"quota.upgraded","timestamp":"2026-01-01T00:00:00Z","data":{"tenant":"t_1","limit":1000}}',
    };
    const headers = webhookHeaders(message, ['whsec_dG9sbGdhdGUtdGVzdC12ZWN0b3Itc2VjcmV0LTAwMDE=']);
    expect(headers['webhook-signature']).toBe('v1,gPqx62e13ek2fL9l1cdVCgNmT6PdVItOrQIX1KDT3fo=');
  });

  it('verifies by the reference library with the new secret and, during a rotation, with the old one', () => {
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
