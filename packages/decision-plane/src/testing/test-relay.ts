import type {
  ApiRecord,
  Catalogue,
  LimitPolicy,
  ServiceTokenRecord,
  TenantRecord,
  TierRecord,
} from '@tollgate/contracts';
import type { PolicySigner } from '@tollgate/policy';
import { Redis } from 'ioredis';
import { PolicyPublisher, serializeCatalogue } from '../policy-redis/policy-store.js';
import { QuotaStore } from '../policy-redis/quota-store.js';

/** An API with two operations. */
export const SHORTENER: ApiRecord = {
  key: 'url-shortener',
  unknownOperations: 'count',
  operations: [
    { name: 'createURL', cost: 1 },
    { name: 'deleteURL', cost: 1 },
  ],
};

/** Policy to publish; defaults to {@link SHORTENER} and nothing else. */
export interface PolicyContent {
  apis?: ApiRecord[];
  tiers?: TierRecord[];
  /** Shorthand for one tier `free` in version 1. */
  limits?: LimitPolicy[];
  serviceTokens?: ServiceTokenRecord[];
  tenants?: TenantRecord[];
}

/** Publishes policy like the control plane's relay, for tests without a control plane. */
export class TestRelay {
  private readonly redis: Redis;
  private readonly publisher: PolicyPublisher;
  private revision = 0;
  private catalogueHead = { catalogueRevision: 1, catalogueHash: '' };

  /** Whether publications also mark the quota checkpoints as restored, as a job of the control plane does. */
  isRestored = true;

  /** @param signer default: unsigned */
  constructor(url: string, signer?: PolicySigner) {
    this.redis = new Redis(url);
    // Tests stop the server on purpose.
    this.redis.on('error', () => undefined);
    this.publisher = new PolicyPublisher(this.redis, signer);
  }

  /** Publishes a new catalogue; @returns its revision. */
  async publish(content: PolicyContent): Promise<number> {
    const revision = this.revision + 1;
    const catalogue: Catalogue = {
      kind: 'catalogue',
      revision,
      apis: content.apis ?? [SHORTENER],
      tiers: content.tiers ?? [
        { key: 'free', currentVersion: 1, versions: [{ number: 1, limits: content.limits ?? [] }] },
      ],
      serviceTokens: content.serviceTokens ?? [],
    };
    this.catalogueHead = { catalogueRevision: revision, catalogueHash: serializeCatalogue(catalogue).hash };
    return await this.write({ catalogue, tenants: content.tenants ?? [] });
  }

  /** Publishes changed tenant records and keeps the catalogue. */
  async publishTenants(tenants: TenantRecord[]): Promise<number> {
    return await this.write({ tenants });
  }

  /** Publishes a head with the hash of another catalogue; @returns its revision. */
  async publishCorruptHead(): Promise<number> {
    const revision = this.revision + 1;
    const head = { revision, catalogueRevision: revision, publishedAtMs: Date.now() };
    await this.redis.set('tg:policy:head', JSON.stringify({ ...head, catalogueHash: '0'.repeat(64) }));
    return revision;
  }

  /** Confirms the newest revision, as the control plane does every few seconds. */
  async confirm(atMs = Date.now()): Promise<void> {
    await this.publisher.confirm({ revision: this.revision, atMs });
  }

  tenant(key: string, over: Partial<TenantRecord> = {}): TenantRecord {
    return {
      kind: 'tenant',
      revision: this.revision + 1,
      tenant: key,
      status: 'active',
      tier: 'free',
      pinnedVersion: null,
      ...over,
    };
  }

  close(): void {
    this.redis.disconnect();
  }

  private async write(part: { catalogue?: Catalogue; tenants: TenantRecord[] }): Promise<number> {
    const { catalogue, tenants } = part;
    const previous = this.revision;
    this.revision++;
    const result = await this.publisher.publish({
      head: { revision: this.revision, ...this.catalogueHead, publishedAtMs: Date.now() },
      over: await this.publisher.readHead(),
      ...(catalogue === undefined ? {} : { catalogue }),
      tenants: [tenants.map((record) => ({ tenant: record.tenant, record }))],
      announcement: () => ({
        revision: this.revision,
        previous,
        catalogueChanged: catalogue !== undefined,
        tenants: tenants.map(({ tenant }) => tenant),
      }),
    });
    if (result === 'superseded') throw new Error('another publisher is active');
    if (this.isRestored) await new QuotaStore(this.redis).markRestored('test-relay');
    return this.revision;
  }
}
