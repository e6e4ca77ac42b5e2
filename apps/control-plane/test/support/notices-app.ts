import { SYSTEM_ACTOR } from '../../src/platform/access/actor.js';
import { ChangeRunner, type NoticeFacts } from '../../src/platform/changes/change.js';
import { Clock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids.js';
import { type EventReceiver, startEventReceiver } from './event-receiver.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { createPolicy } from './policy-factory.js';
import { startTestApp, type TestApp } from './test-app.js';

export const CREATE_ENDPOINT = `mutation($input: WebhookEndpointCreateInput!) {
  webhookEndpointCreate(input: $input) { endpoint { id version status events } secret userErrors { code field message } }
}`;
export const DELIVERIES = `query($id: ID!) {
  webhookDeliveries(endpointId: $id) {
    totalCount nodes { id event status log { number statusCode error } }
  }
}`;

/** A control plane that notifies two tenants, acme and other, by mail and by events to a receiver per test. */
export class NoticesApp {
  /** Offset of its clock. */
  aheadMs = 0;
  /** Set by `start`. */
  app!: TestApp;
  mail!: MailServer;
  acme!: { id: string; key: string };
  /** Headers of an owner of acme, and of one of other. */
  owner!: Record<string, string>;
  stranger!: Record<string, string>;
  /** Set by `beginTest`. */
  receiver!: EventReceiver;

  async start(): Promise<void> {
    this.mail = await startMailServer();
    this.app = await startTestApp({
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      MAIL_TRANSPORT: 'smtp',
      SMTP_URL: this.mail.url,
    });
    this.app.app.get(Clock, { strict: false }).now = () => new Date(Date.now() + this.aheadMs);
    await createPolicy(this.app);
    await this.app.graphql(
      'mutation { tenantCreate(input: { key: "other", name: "O", tierKey: "basic" }) { changeId } }',
    );
    const find = (key: string) =>
      this.app.database.tenant.findUniqueOrThrow({ where: { key }, select: { id: true, key: true } });
    this.acme = await find('acme');
    this.owner = await this.app.signInMember(this.acme.id, 'OWNER');
    this.stranger = await this.app.signInMember((await find('other')).id, 'OWNER');
  }

  async stop(): Promise<void> {
    await this.app.stop();
    await this.mail.stop();
  }

  /** Creates a new receiver; returns a function that closes it. */
  async beginTest(): Promise<() => Promise<void>> {
    this.receiver = await startEventReceiver();
    return () => this.receiver.stop();
  }

  /** Creates a notice within a change. */
  async create(notice: NoticeFacts): Promise<void> {
    const caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };
    await this.app.app
      .get(ChangeRunner, { strict: false })
      .run(caller, { reason: null }, (change) => change.notify(notice));
  }

  paid(offer: string): NoticeFacts {
    return { kind: 'purchase.paid', tenant: this.acme, data: { offer } };
  }

  /** Creates an endpoint at the receiver; throws on errors. */
  async makeEndpoint(events: string[] = []): Promise<{ id: string; secret: string }> {
    const input = { tenantKey: 'acme', url: this.receiver.url, events };
    const { data } = await this.app.graphql(CREATE_ENDPOINT, { input }, this.owner);
    const { endpoint, secret, userErrors } = data.webhookEndpointCreate;
    if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
    return { id: endpoint.id, secret };
  }

  async deliveriesOf(id: string) {
    return (await this.app.graphql(DELIVERIES, { id }, this.owner)).data.webhookDeliveries.nodes;
  }
}
