import type {
  ApiRecord,
  Catalogue,
  LimitPolicy,
  ServiceTokenRecord,
  TenantRecord,
  TierRecord,
} from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { PolicyPublisher, type Publication, serializeCatalogue } from '../store/config-store.js';

/** An API with two operations. */
export const SHORTENER: ApiRecord = {
  key: 'url-shortener',
  unknownOperations: 'allow',
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

  constructor(url: string) {
    this.redis = new Redis(url);
    // Cases stop the server on purpose.
    this.redis.on('error', () => undefined);
    this.publisher = new PolicyPublisher(this.redis);
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

  private async write(part: Pick<Publication, 'tenants'> & { catalogue?: Catalogue }): Promise<number> {
    const previous = this.revision;
    this.revision++;
    await this.publisher.publish({
      ...part,
      head: { revision: this.revision, ...this.catalogueHead, publishedAtMs: Date.now() },
      removedTenants: [],
      announcement: {
        revision: this.revision,
        previous,
        catalogueChanged: part.catalogue !== undefined,
        tenants: part.tenants.map(({ tenant }) => tenant),
      },
    });
    return this.revision;
  }
}
