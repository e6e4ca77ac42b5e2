import type { UsageFrame, UsageRow } from '@tollgate/contracts';
import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { Redis } from 'ioredis';
import { JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import { createPolicy } from './policy-factory.js';
import { startTestApp, type TestApp } from './test-app.js';
import { minuteAt, usageFrame, usageRow } from './usage-frames.js';

export const HOUR_MS = 3_600_000;

/** Start of a past hour, all of whose minutes have ended. */
export const HOUR = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS);

export const NOW = minuteAt(Date.now());

/** A control plane with reported usage of two tenants, acme and other. */
export class MeteredApp {
  /** Set by `start`. */
  app!: TestApp;
  private redis!: Redis;
  private sequence = 0;

  async start(): Promise<void> {
    this.app = await startTestApp();
    this.redis = new Redis(this.app.redisUrl);
    await createPolicy(this.app);
    const create =
      'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }';
    await this.app.graphql(create);
    await this.report([
      usageRow({ minute: minuteAt(HOUR), count: 6, units: 60 }),
      usageRow({ minute: minuteAt(HOUR) + 1, count: 2, units: 20, operation: 'sell' }),
      usageRow({ minute: minuteAt(HOUR) + 1, count: 3, units: 3, outcome: 'denied' }),
      usageRow({ minute: minuteAt(HOUR) + 90, count: 1, limit: null, outcome: 'no_limit', api: 'unknown' }),
      usageRow({ tenant: 'other', minute: NOW, count: 100, units: 100 }),
    ]);
  }

  async stop(): Promise<void> {
    this.redis?.disconnect();
    await this.app?.stop();
  }

  async report(rows: UsageRow[], more: Partial<UsageFrame> = {}): Promise<void> {
    await USAGE_STREAM.write(this.redis, usageFrame(++this.sequence, rows, more));
    await this.app.app.get(JobsRunner, { strict: false }).run('usage-ingest');
  }
}
