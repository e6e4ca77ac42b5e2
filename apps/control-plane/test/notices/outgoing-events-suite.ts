import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { answering, startEventReceiver } from '../support/event-receiver.js';
import { CREATE_ENDPOINT, DELIVERIES, type NoticesApp } from '../support/notices-app.js';

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
export function describeOutgoingEvents(notices: NoticesApp): void {
  describe('outgoing events', () => {
    it('are signed and sent once; with both secrets during a rotation', async () => {
      const { id, secret } = await notices.makeEndpoint(['purchase.paid']);
      await notices.create(notices.paid('extra'));
      await notices.create({ kind: 'purchase.expired', tenant: notices.acme, data: { offer: 'not wanted' } });
      await expect.poll(() => notices.receiver.received).toHaveLength(1);
      const [first] = notices.receiver.received;
      const event = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>);
      expect(event).toMatchObject({ type: 'purchase.paid', data: { tenant: 'acme', offer: 'extra' } });

      const { data } = await notices.app.graphql(
        ROTATE,
        { input: { id, expectedVersion: 1, overlapHours: 1 } },
        notices.owner,
      );
      const renewed = data.webhookEndpointSecretRotate.secret;
      expect(renewed).not.toBe(secret);
      await notices.create(notices.paid('more'));
      await expect.poll(() => notices.receiver.received).toHaveLength(2);
      const [, second] = notices.receiver.received;
      for (const known of [secret, renewed]) {
        new Webhook(known).verify(second?.body ?? '', second?.headers as Record<string, string>);
      }
      const both = [{ status: 'DELIVERED' }, { status: 'DELIVERED' }];
      await expect.poll(() => notices.deliveriesOf(id)).toMatchObject(both);
    });

    it('are retried under the same id, and each attempt is logged', async () => {
      const { id } = await notices.makeEndpoint(['purchase.renewed']);
      notices.receiver.behave(answering(503));
      await notices.create({ kind: 'purchase.renewed', tenant: notices.acme, data: { offer: 'x' } });
      const deliveries = () => notices.deliveriesOf(id);
      await expect.poll(deliveries).toMatchObject([{ log: [{ error: 'returned 503' }] }]);
      notices.receiver.behave(answering(200));
      notices.aheadMs += 10_000;
      const log = [
        { number: 2, statusCode: 200, error: null },
        { number: 1, error: 'returned 503' },
      ];
      await expect.poll(deliveries).toMatchObject([{ status: 'DELIVERED', log }]);
      const ids = notices.receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).toBe(1);
    });

    it('follow no redirects', async () => {
      const { id } = await notices.makeEndpoint(['purchase.disputed']);
      const canary = await startEventReceiver();
      notices.receiver.behave(answering(307, { location: canary.url }));
      await notices.create({ kind: 'purchase.disputed', tenant: notices.acme, data: {} });
      const log = [{ error: expect.stringMatching(/not followed/) }];
      await expect.poll(() => notices.deliveriesOf(id)).toMatchObject([{ log }]);
      expect(canary.received).toEqual([]);
      await canary.stop();
    });

    it('stop when the receiver is gone, notify the owner, and can be restarted', async () => {
      const { id } = await notices.makeEndpoint(['purchase.refunded']);
      notices.receiver.behave(answering(410));
      await notices.create({ kind: 'purchase.refunded', tenant: notices.acme, data: {} });
      const find = async () => {
        const { data } = await notices.app.graphql(LIST, { tenantKey: 'acme' }, notices.owner);
        return data.webhookEndpoints.find((endpoint: { id: string }) => endpoint.id === id);
      };
      await expect.poll(find).toMatchObject({ status: 'DISABLED', version: 2 });
      expect((await find()).disabledReason).toMatch(/410/);
      const { data } = await notices.app.graphql(
        '{ notices(tenantKey: "acme") { nodes { kind title } } }',
        {},
        notices.owner,
      );
      expect(data.notices.nodes.map(({ kind }: { kind: string }) => kind)).toContain('webhook.disabled');

      notices.receiver.behave(answering(200));
      const enabled = await notices.app.graphql(
        change('webhookEndpointEnable'),
        { input: { id, expectedVersion: 2 } },
        notices.owner,
      );
      expect(enabled.data.webhookEndpointEnable.userErrors).toEqual([]);
      const [dead] = await notices.deliveriesOf(id);
      expect(dead.status).toBe('DEAD');
      const retry =
        'mutation($input: WebhookDeliveryRetryInput!) { webhookDeliveryRetry(input: $input) { delivery { status } } }';
      expect(
        (await notices.app.graphql(retry, { input: { id: dead.id } }, notices.owner)).data
          .webhookDeliveryRetry.delivery.status,
      ).toBe('PENDING');
      await expect.poll(() => notices.deliveriesOf(id)).toMatchObject([{ status: 'DELIVERED' }]);
    });

    it.each([
      'https://127.0.0.2.nip.io:1/',
      'http://10.0.0.1/',
      'ftp://example.com/',
      'http://hooks.example.com/',
    ])('are not sent to %s', async (url) => {
      const { data } = await notices.app.graphql(
        CREATE_ENDPOINT,
        { input: { tenantKey: 'acme', url } },
        notices.owner,
      );
      const errors = data.webhookEndpointCreate.userErrors;
      if (url.includes('nip.io')) expect(errors).toEqual([]);
      else expect(errors).toMatchObject([{ code: 'INVALID', field: ['url'] }]);
    });

    it('of another tenant are not accessible', async () => {
      const { id } = await notices.makeEndpoint();
      const foreign = { input: { id, expectedVersion: 1 } };
      for (const name of [
        'webhookEndpointEnable',
        'webhookEndpointDisable',
        'webhookEndpointDelete',
        'webhookEndpointTest',
      ]) {
        const { data } = await notices.app.graphql(change(name), foreign, notices.stranger);
        const missing = await notices.app.graphql(
          change(name),
          { input: { id: newId('webhookEndpoint'), expectedVersion: 1 } },
          notices.stranger,
        );
        expect(data[name]).toEqual(missing.data[name]);
        expect(data[name].userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
      }
      expect(
        (await notices.app.graphql(LIST, { tenantKey: 'acme' }, notices.stranger)).errors[0]?.extensions.code,
      ).toBe('NOT_FOUND');
      expect(
        (await notices.app.graphql(DELIVERIES, { id }, notices.stranger)).errors[0]?.extensions.code,
      ).toBe('BAD_USER_INPUT');
    });

    it('can be changed, tested, disabled and deleted with the current version only', async () => {
      const { id } = await notices.makeEndpoint(['purchase.needs_review']);
      const update = `mutation($input: WebhookEndpointUpdateInput!) {
        webhookEndpointUpdate(input: $input) { endpoint { version events } userErrors { code field } }
      }`;
      const run = async (document: string, input: object) =>
        Object.values((await notices.app.graphql(document, { input }, notices.owner)).data)[0];
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
      const types = () => notices.receiver.received.map(({ body }) => JSON.parse(body).type);
      await expect.poll(types).toContain('webhook.test');
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
