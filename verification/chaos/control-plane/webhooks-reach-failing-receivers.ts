import { createPrismaClient } from '@tollgate/database';
import { until } from '../../until.ts';
import { failing, type Measurement } from '../goal.ts';
import { FailingReceivers } from './failing-receivers.ts';

const EVENT = 'purchase.paid';

export interface WebhooksRun {
  /** Connection string of a user without row-level security. */
  ownerUrl: string;
  /** Runs GraphQL as an owner. */
  graphql(query: string, variables: object): Promise<{ data: Record<string, unknown> }>;
  /** Number of events; each goes to every receiver. */
  events: number;
  /** Causes failures; omitted: none. */
  harm?: () => Promise<void>;
  timeoutMs: number;
}

/**
 * C13: each event is delivered to each receiver despite failing first attempts, and every attempt has a signature of the
 * reference library, also during rotation of secrets. Retries are made due immediately in the database.
 */
export async function deliverToFailingReceivers(run: WebhooksRun): Promise<Measurement> {
  const { events, harm, timeoutMs } = run;
  const receivers = new FailingReceivers();
  const database = createPrismaClient(run.ownerUrl, { max: 2 });
  const startMs = performance.now();
  let rotations = 0;
  try {
    const origin = await receivers.start();
    const ids: string[] = [];
    for (const receiver of receivers.receivers) {
      const made = await makeEndpoint(run, origin + receiver.path);
      ids.push(made.id);
      receiver.secrets = [made.secret];
    }
    const publish = (from: number, to: number) =>
      database.$executeRaw`
        INSERT INTO notice (id, kind, data) SELECT 'ntc_' || md5(n::text), ${EVENT}, jsonb_build_object('offer', n)
        FROM generate_series(${from}::int, ${to}::int) n`;
    await publish(1, Math.ceil(events / 2));
    for (const [index, receiver] of receivers.receivers.entries()) {
      receiver.secrets.push(await rotate(run, ids[index] as string));
      rotations++;
    }
    await publish(Math.ceil(events / 2) + 1, events);
    const expected = events * receivers.receivers.length;
    const isEverywhere = async () => {
      await harm?.();
      const nextAttemptAt = new Date();
      const later = { status: 'PENDING', nextAttemptAt: { gt: nextAttemptAt } } as const;
      await database.webhookDelivery.updateMany({ where: later, data: { nextAttemptAt } });
      return (await database.webhookDelivery.count({ where: { status: { not: 'PENDING' } } })) >= expected;
    };
    await until('every event has ended at every receiver', isEverywhere, { timeoutMs, everyMs: 250 });
    const delivered = await database.webhookDelivery.count({ where: { status: 'DELIVERED' } });
    const dead = await database.webhookDelivery.count({ where: { status: 'DEAD' } });
    const seen = receivers.receivers.reduce((sum, { delivered }) => sum + delivered.size, 0);
    const attempts = receivers.receivers.reduce(
      (sum, one) => sum + [...one.attempts.values()].reduce((a, b) => a + b, 0),
      0,
    );
    const numbers = {
      deliveries: expected,
      delivered,
      dead,
      attempts,
      rotations,
      'not verified': receivers.unverified,
      seconds: (performance.now() - startMs) / 1000,
    };
    return {
      name: 'webhooks',
      numbers,
      failures: failing({
        'a delivery is missing': delivered === expected,
        'a receiver did not get an event that is marked as delivered': seen === expected,
        'an attempt was not signed as the reference library signs': receivers.unverified === 0,
        'a redirect was followed': receivers.followed === 0,
      }),
    };
  } finally {
    await database.$disconnect();
    await receivers.stop();
  }
}

interface Made {
  endpoint: { id: string };
  secret: string;
}

async function makeEndpoint(run: WebhooksRun, url: string): Promise<{ id: string; secret: string }> {
  const query = `mutation($input: WebhookEndpointCreateInput!) {
    made: webhookEndpointCreate(input: $input) { endpoint { id } secret }
  }`;
  const { data } = await run.graphql(query, { input: { url, events: [EVENT] } });
  const made = data.made as Made;
  return { id: made.endpoint.id, secret: made.secret };
}

async function rotate(run: WebhooksRun, id: string): Promise<string> {
  const query = `mutation($input: WebhookEndpointRotateInput!) {
    made: webhookEndpointSecretRotate(input: $input) { endpoint { id } secret }
  }`;
  const { data } = await run.graphql(query, { input: { id, expectedVersion: 1 } });
  return (data.made as Made).secret;
}
