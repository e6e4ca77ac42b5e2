import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CustomersWorkerModule, RunBulkActionsJob } from '../../src/features/customers/index.js';
import { createLogger } from '../../src/platform/log.js';
import { platformModule } from '../../src/platform/platform.module.js';
import { runInScope } from '../../src/platform/tenant-scope.js';
import { createPolicy, LIMIT } from './policy-factory.js';
import { startTestApp, type TestApp } from './test-app.js';

const ACTION = `id kind status reason startedBy revertsId revertedById stoppedBecause createdAt startedAt finishedAt input
  progress { total pending done failed canceled }
  items(first: 100) { totalCount nodes { tenantKey status error changeId at } }`;

const PAYLOAD = `bulkAction { ${ACTION} } tenants tried refusals { tenantKey message } impact { tenants increased decreased }`;

/** A control plane with a second tier and four more tenants. Tests run its bulk actions manually. */
export class BulkApp {
  /** Set by `start`. */
  app!: TestApp;
  worker!: INestApplicationContext;

  async begin(): Promise<void> {
    // Tests run jobs manually, to observe the state between steps.
    this.app = await startTestApp({ WORKER: 'separate' });
    @Module({
      imports: [platformModule(this.app.config, createLogger(this.app.config)), CustomersWorkerModule],
    })
    class BulkWorker {}
    this.worker = await NestFactory.createApplicationContext(BulkWorker, { logger: false });
    await createPolicy(this.app);
    await this.run('tierCreate', 'TierCreateInput', { key: 'plus', name: 'Plus' }, '');
    const limits = [{ ...LIMIT, limit: 50 }];
    const draft = { tierKey: 'plus', expectedVersion: 1, limits };
    await this.run('tierDraftSave', 'TierDraftSaveInput', draft, '');
    await this.run('tierPublish', 'TierPublishInput', { tierKey: 'plus', expectedVersion: 2 }, 'changeId');
    for (const key of ['bulk-1', 'bulk-2', 'bulk-3', 'bulk-4'])
      await this.run('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey: 'basic' }, 'changeId');
  }

  async stop(): Promise<void> {
    await this.worker.close();
    await this.app.stop();
  }

  /** Runs a mutation; throws the code of request errors. */
  readonly run = async (
    name: string,
    type: string,
    input: object,
    fields: string,
    headers?: Record<string, string>,
  ) => {
    const query = `mutation($input: ${type}!) { ${name}(input: $input) { ${fields} userErrors { code field message } } }`;
    const { data, errors } = await this.app.graphql(query, { input }, headers);
    if (errors.length > 0) throw new Error(errors[0]?.extensions.code);
    return data[name];
  };

  readonly start = (input: object, headers?: Record<string, string>) =>
    this.run(
      'bulkActionStart',
      'BulkActionStartInput',
      { reason: 'spring sale', ...input },
      PAYLOAD,
      headers,
    );

  readonly undo = (id: string, more: object = {}) =>
    this.run('bulkActionUndo', 'BulkActionInput', { id, reason: 'over', ...more }, PAYLOAD);

  readonly cancel = (id: string) => this.run('bulkActionCancel', 'BulkActionInput', { id }, PAYLOAD);

  readonly work = () => runInScope('all', () => this.worker.get(RunBulkActionsJob, { strict: false }).run());

  readonly find = async (id: string) => {
    const query = `query($id: ID!) { bulkAction(id: $id) { ${ACTION} } }`;
    const { data, errors } = await this.app.graphql(query, { id });
    if (errors.length > 0) throw new Error(errors[0]?.message);
    return data.bulkAction;
  };

  readonly tiersOf = async (...keys: string[]) => {
    const query = 'query($key: String!) { tenant(key: $key) { subscription { tier { key } } } }';
    const tiers: string[] = [];
    for (const key of keys)
      tiers.push((await this.app.graphql(query, { key })).data.tenant.subscription.tier.key);
    return tiers;
  };

  /** The first limit of a tenant and its source. */
  readonly limitOf = async (key: string) => {
    const query = 'query($key: String!) { tenant(key: $key) { effectiveLimits { source limit { limit } } } }';
    const { data } = await this.app.graphql(query, { key });
    const [{ limit, source }] = data.tenant.effectiveLimits;
    return [limit.limit, source];
  };
}
