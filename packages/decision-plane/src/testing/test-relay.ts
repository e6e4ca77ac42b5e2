import type {
  ApiRecord,
  Catalogue,
  LimitPolicy,
  ServiceTokenRecord,
  TenantRecord,
  TierRecord,
} from '@tollgate/contracts';
import { Redis } from 'ioredis';
import type { PolicySigner } from '../seal/policy-seal.js';
import { PolicyPublisher, serializeCatalogue } from '../store/policy-store.js';

/** An API with two operations. */
export const SHORTENER: ApiRecord = {
  key: 'url-shortener',
  unknownOperations: 'count',
  operations: [
    { name: 'createURL', cost: 1 },
    { name: 'deleteURL', cost: 1 },
  ],
};

/** What a test wants in force; what is left out is {@link SHORTENER}, or nothing. */
export interface PolicyContent {
  apis?: ApiRecord[];
  tiers?: TierRecord[];
  /** Shorthand for one tier `free` in version 1. */
  limits?: LimitPolicy[];
  serviceTokens?: ServiceTokenRecord[];
  tenants?: TenantRecord[];
}

/** Publishes policy as the control plane's relay does: for tests of what runs on it, without a control plane. */
export class TestRelay {
  private readonly redis: Redis;
  private readonly publisher: PolicyPublisher;
  private revision = 0;
  private catalogueHead = { catalogueRevision: 1, catalogueHash: '' };

  /** @param signer left out: what it publishes is unsigned */
  constructor(url: string, signer?: PolicySigner) {
    this.redis = new Redis(url);
    // Cases stop the server on purpose.
    this.redis.on('error', () => undefined);
    this.publisher = new PolicyPublisher(this.redis, signer);
  }

  /** Puts a whole new catalogue into force; @returns its revision. */
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

  /** Puts changed tenant records into force; the catalogue stays. */
  async publishTenants(tenants: TenantRecord[]): Promise<number> {
    return await this.write({ tenants });
  }

  /** As `publish`, with the head's hash falsified. */
  async publishCorrupt(content: PolicyContent): Promise<number> {
    const revision = await this.publish(content);
    const head = { revision: revision + 1, catalogueRevision: revision + 1, publishedAtMs: Date.now() };
    await this.redis.set('tg:policy:head', JSON.stringify({ ...head, catalogueHash: '0'.repeat(64) }));
    return revision + 1;
  }

  /** As the control plane does every few seconds: the newest revision is the newest. */
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
    if (result === 'superseded') throw new Error('somebody else publishes too');
    return this.revision;
  }
}
