import { headSchema } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import type { PolicyVerifier } from '../seal/policy-verifier.js';
import { readJson } from './json-record.js';
import { CATALOGUE_KEY, HEAD_KEY, TENANT_PREFIX, tenantRecordKey } from './policy-names.js';
import { sha256Hex } from './policy-publisher.js';

/** Records looked at in one go: their seals take some milliseconds to check. */
const AT_ONCE = 100;

/** A tenant's record as it was found. */
export interface FoundRecord {
  tenant: string;
  /** Whether the publisher has sealed it. */
  isOurs: boolean;
}

/** Looks through what is published for what should not be there. */
export class PolicySweeper {
  constructor(
    private readonly redis: Redis,
    private readonly verifier: PolicyVerifier,
  ) {}

  /** Whether the catalogue is the one that the head vouches for; a head that nobody vouches for is the relay's to replace. */
  async isCatalogueWhole(): Promise<boolean> {
    const [storedHead, catalogue] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    const head = readJson(headSchema, this.verifier.tryOpen('head', storedHead));
    return head === undefined || (catalogue != null && sha256Hex(catalogue) === head.catalogueHash);
  }

  /** Puts the catalogue's text back. */
  async restoreCatalogue(text: string): Promise<void> {
    await this.redis.set(CATALOGUE_KEY, text);
  }

  /** Some of the tenants' records, from `cursor` on, as SCAN gives them; the next cursor is `0` at the end. */
  async scanTenants(cursor: string): Promise<{ cursor: string; records: FoundRecord[] }> {
    const [next, keys] = await this.redis.scan(cursor, 'MATCH', `${TENANT_PREFIX}*`, 'COUNT', AT_ONCE);
    const stored = keys.length === 0 ? [] : await this.redis.mget(keys);
    const records = keys.map((key, i) => ({
      tenant: key.slice(TENANT_PREFIX.length),
      isOurs: this.verifier.tryOpen('tenant', stored[i]) !== undefined,
    }));
    return { cursor: next, records };
  }

  async removeTenants(tenants: readonly string[]): Promise<void> {
    await this.redis.unlink(tenants.map(tenantRecordKey));
  }
}
