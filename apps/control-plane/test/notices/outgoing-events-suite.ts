import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { answering, startEventReceiver } from '../support/event-receiver.js';
import { CREATE_ENDPOINT, DELIVERIES, type TellingApp, waitUntil } from '../support/telling-app.js';

const ROTATE = `mutation($input: WebhookEndpointRotateInput!) {
  webhookEndpointSecretRotate(input: $input) { endpoint { version previousUntil } secret userErrors { code message } }
}`;
const LIST = `query($tenantKey: String) {
  webhookEndpoints(tenantKey: $tenantKey) { id status disabledReason version }
}`;
const change = (name: string) => `mutation($input: WebhookEndpointTargetInput!) {
  ${name}(input: $input) { endpoint { id version status } userErrors { code field message } }
}`;

/** Deliveries to a tenant's endpoints and their management. */
export function describeOutgoingEvents(told: TellingApp): void {
  describe('outgoing events', () => {
    it('are signed and sent once; with both secrets during a rotation', async () => {
      const { id, secret } = await told.makeEndpoint(['purchase.paid']);
      await told.tell(told.paid('extra'));
      await told.tell({ kind: 'purchase.expired', tenant: told.acme, data: { offer: 'not wanted' } });
      await waitUntil(() => expect(told.receiver.received).toHaveLength(1));
      const [first] = told.receiver.received;
      const event = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>);
      expect(event).toMatchObject({ type: 'purchase.paid', data: { tenant: 'acme', offer: 'extra' } });

      const { data } = await told.app.graphql(
        ROTATE,
        { input: { id, expectedVersion: 1, overlapHours: 1 } },
        told.owner,
      );
      const renewed = data.webhookEndpointSecretRotate.secret;
      expect(renewed).not.toBe(secret);
      await told.tell(told.paid('more'));
      await waitUntil(() => expect(told.receiver.received).toHaveLength(2));
      const [, second] = told.receiver.received;
      for (const known of [secret, renewed]) {
        new Webhook(known).verify(second?.body ?? '', second?.headers as Record<string, string>);
      }
      await waitUntil(async () => {
        expect(await told.deliveriesOf(id)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
      });
    });

    it('are retried under the same id, and each attempt is logged', async () => {
      const { id } = await told.makeEndpoint(['purchase.renewed']);
      told.receiver.behave(answering(503));
      await told.tell({ kind: 'purchase.renewed', tenant: told.acme, data: { offer: 'x' } });
      await waitUntil(async () => {
        expect((await told.deliveriesOf(id))[0]?.log).toMatchObject([{ error: 'returned 503' }]);
      });
      told.receiver.behave(answering(200));
      told.aheadMs += 10_000;
      await waitUntil(async () => {
        expect(await told.deliveriesOf(id)).toMatchObject([
          {
            status: 'DELIVERED',
            log: [
              { number: 2, statusCode: 200, error: null },
              { number: 1, error: 'returned 503' },
            ],
          },
        ]);
      });
      const ids = told.receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(1);
    });

    it('follow no redirects', async () => {
      const { id } = await told.makeEndpoint(['purchase.disputed']);
      const canary = await startEventReceiver();
      told.receiver.behave(answering(307, { location: canary.url }));
      await told.tell({ kind: 'purchase.disputed', tenant: told.acme, data: {} });
      await waitUntil(async () => {
        expect((await told.deliveriesOf(id))[0]?.log).toMatchObject([
          { error: expect.stringMatching(/not followed/) },
        ]);
      });
      expect(canary.received).toEqual([]);
      await canary.stop();
    });

    it('stop when the receiver is gone, notify the owner, and can be restarted', async () => {
      const { id } = await told.makeEndpoint(['purchase.refunded']);
      told.receiver.behave(answering(410));
      await told.tell({ kind: 'purchase.refunded', tenant: told.acme, data: {} });
      const find = async () => {
        const { data } = await told.app.graphql(LIST, { tenantKey: 'acme' }, told.owner);
        return data.webhookEndpoints.find((endpoint: { id: string }) => endpoint.id === id);
      };
      await waitUntil(async () => expect(await find()).toMatchObject({ status: 'DISABLED', version: 2 }));
      expect((await find()).disabledReason).toMatch(/410/);
      const { data } = await told.app.graphql(
        '{ notices(tenantKey: "acme") { nodes { kind title } } }',
        {},
        told.owner,
      );
      expect(data.notices.nodes.map(({ kind }: { kind: string }) => kind)).toContain('webhook.disabled');

      told.receiver.behave(answering(200));
      const enabled = await told.app.graphql(
        change('webhookEndpointEnable'),
        { input: { id, expectedVersion: 2 } },
        told.owner,
      );
      expect(enabled.data.webhookEndpointEnable.userErrors).toEqual([]);
      const [dead] = await told.deliveriesOf(id);
      expect(dead.status).toBe('DEAD');
      const retry =
        'mutation($input: WebhookDeliveryRetryInput!) { webhookDeliveryRetry(input: $input) { delivery { status } } }';
      expect(
        (await told.app.graphql(retry, { input: { id: dead.id } }, told.owner)).data.webhookDeliveryRetry
          .delivery.status,
      ).toBe('PENDING');
      await waitUntil(async () => expect((await told.deliveriesOf(id))[0]?.status).toBe('DELIVERED'));
    });

    it.each([
      'https://127.0.0.2.nip.io:1/',
      'http://10.0.0.1/',
      'ftp://example.com/',
      'http://hooks.example.com/',
    ])('are not sent to %s', async (url) => {
      const { data } = await told.app.graphql(
        CREATE_ENDPOINT,
        { input: { tenantKey: 'acme', url } },
        told.owner,
      );
      const errors = data.webhookEndpointCreate.userErrors;
      if (url.includes('nip.io')) expect(errors).toEqual([]);
      else expect(errors).toMatchObject([{ code: 'INVALID', field: ['url'] }]);
    });

    it('of another tenant are not accessible', async () => {
      const { id } = await told.makeEndpoint();
      const foreign = { input: { id, expectedVersion: 1 } };
      for (const name of [
        'webhookEndpointEnable',
        'webhookEndpointDisable',
        'webhookEndpointDelete',
        'webhookEndpointTest',
      ]) {
        const { data } = await told.app.graphql(change(name), foreign, told.stranger);
        const missing = await told.app.graphql(
          change(name),
          { input: { id: newId('webhookEndpoint'), expectedVersion: 1 } },
          told.stranger,
        );
        expect(data[name]).toEqual(missing.data[name]);
        expect(data[name].userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
      }
      expect(
        (await told.app.graphql(LIST, { tenantKey: 'acme' }, told.stranger)).errors[0]?.extensions.code,
      ).toBe('NOT_FOUND');
      expect((await told.app.graphql(DELIVERIES, { id }, told.stranger)).errors[0]?.extensions.code).toBe(
        'BAD_USER_INPUT',
      );
    });

    it('can be changed, tested, disabled and deleted with the current version only', async () => {
      const { id } = await told.makeEndpoint(['purchase.needs_review']);
      const update = `mutation($input: WebhookEndpointUpdateInput!) {
        webhookEndpointUpdate(input: $input) { endpoint { version events } userErrors { code field } }
      }`;
      const run = async (document: string, input: object) =>
        Object.values((await told.app.graphql(document, { input }, told.owner)).data)[0];
      expect(await run(update, { id, expectedVersion: 1, events: ['nonsense'] })).toMatchObject({
        userErrors: [{ code: 'INVALID', field: ['events', '0'] }],
      });
      expect(await run(update, { id, expectedVersion: 1, events: [] })).toMatchObject({
        endpoint: { version: 2, events: [] },
      });
      expect(await run(update, { id, expectedVersion: 1, events: [] })).toMatchObject({
        userErrors: [{ code: 'CONFLICT' }],
      });
      await run(change('webhookEndpointTest'), { id, expectedVersion: 2 });
      await waitUntil(() =>
        expect(told.receiver.received.map(({ body }) => JSON.parse(body).type)).toContain('webhook.test'),
      );
      const disabled = await run(change('webhookEndpointDisable'), { id, expectedVersion: 2 });
      expect(disabled).toMatchObject({ endpoint: { status: 'DISABLED' } });
      expect(await run(change('webhookEndpointDelete'), { id, expectedVersion: 3 })).toMatchObject({
        userErrors: [],
      });
      expect(await run(change('webhookEndpointDelete'), { id, expectedVersion: 3 })).toMatchObject({
        userErrors: [{ code: 'NOT_FOUND' }],
      });
    });
  });
}
