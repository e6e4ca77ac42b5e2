import { Injectable } from '@nestjs/common';
import { ChangeSetsRepository, ChangeSetsService } from '../features/governance/index.js';
import { ServiceTokensService } from '../features/identity/index.js';
import { WebhooksService } from '../features/notify/index.js';
import { Clock } from '../platform/clock.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

const DAY_MS = 86_400_000;

/** Adds endpoints of events, tokens with scopes and changes that wait for a second person, as far as they are missing. */
@Injectable()
export class DemoGovernanceSeed {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly tokens: ServiceTokensService,
    private readonly changeSets: ChangeSetsService,
    private readonly changeSetRows: ChangeSetsRepository,
    private readonly clock: Clock,
  ) {}

  async run(demo: DemoData): Promise<void> {
    for (const endpoint of demo.webhookEndpoints) await this.addEndpoint(endpoint);
    for (const token of demo.serviceTokens) await this.issue(token);
    for (const set of demo.changeSets) await this.submit(set);
  }

  private async addEndpoint({ enabled, ...input }: DemoData['webhookEndpoints'][number]): Promise<void> {
    const present = await this.webhooks.list(input.tenantKey);
    if (present.some(({ url }) => url === input.url)) return;
    const created = await this.webhooks.create(DEMO_CALLER, { ...input, reason: DEMO_REASON });
    const { id, version } = getValue(created).endpoint;
    const target = { id, expectedVersion: version, reason: DEMO_REASON };
    if (!enabled) getValue(await this.webhooks.setEnabled(DEMO_CALLER, target, false));
  }

  /** The token is never shown; rotate it to get one. */
  private async issue({ endsInDays, ...input }: DemoData['serviceTokens'][number]): Promise<void> {
    if ((await this.tokens.list()).some(({ name }) => name === input.name)) return;
    const expiresAt = new Date(this.clock.now().getTime() + endsInDays * DAY_MS);
    getValue(await this.tokens.create(DEMO_CALLER, { ...input, expiresAt, reason: DEMO_REASON }));
  }

  private async submit({ items, ...input }: DemoData['changeSets'][number]): Promise<void> {
    const present = await this.changeSetRows.list({ first: 100, after: undefined });
    if (present.some(({ title }) => title === input.title)) return;
    const facts = { ...input, needsApproval: true, reason: DEMO_REASON };
    const { id } = getValue(await this.changeSets.create(DEMO_CALLER, facts));
    const begun = { id, expectedVersion: 1, reason: DEMO_REASON };
    const filled = await this.changeSets.add(DEMO_CALLER, begun, items);
    const { version } = getValue(filled);
    const seen = { id, expectedVersion: version, reason: DEMO_REASON };
    getValue(await this.changeSets.submit(DEMO_CALLER, seen));
  }
}
