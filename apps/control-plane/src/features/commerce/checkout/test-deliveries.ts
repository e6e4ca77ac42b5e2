import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { signBody } from '../payments/incoming-payments.js';
import { TestBank } from '../payments/test-provider.js';
import { TestEventsRepository } from '../payments/test-provider.repository.js';
import { WebhookIntake } from './webhooks.js';

const BATCH = 100;

/** Signs the events of the test provider and posts them to the webhook intake. */
@Injectable()
export class TestDeliveries {
  constructor(
    private readonly bank: TestBank,
    private readonly events: TestEventsRepository,
    private readonly intake: WebhookIntake,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Charges due renewals and delivers pending events, of all tenants or of one. */
  async run(tenantId?: string): Promise<void> {
    if (!this.config.payments.test.enabled) return;
    while ((await this.bank.chargeDue(this.clock.now(), tenantId, BATCH)) === BATCH);
    await this.deliver(tenantId);
  }

  /** Delivers pending events. A rejected event stays pending for the next run. */
  async deliver(tenantId?: string): Promise<void> {
    const { test } = this.config.payments;
    if (!test.enabled) return;
    for (const { id, body } of await this.events.listUndelivered(tenantId, BATCH)) {
      const bytes = Buffer.from(body);
      const signatures = [signBody(bytes, test.webhookSecret, this.clock.now().getTime())];
      const { status } = await this.intake.take('test', { signatures, body: bytes }, newId('request'));
      if (status === 200) await this.events.markDelivered(id, this.clock.now());
    }
  }
}

/** Charges renewals of test cards, and delivers events left over after a crash. */
@Injectable()
@ScheduledJob({ name: 'test-provider', everyMs: 2000 })
export class TestProviderJob implements Job {
  constructor(private readonly deliveries: TestDeliveries) {}

  run(): Promise<void> {
    return this.deliveries.run();
  }
}
