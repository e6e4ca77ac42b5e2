import { hash } from 'node:crypto';
import {
  type Announcement,
  type Catalogue,
  type Confirmation,
  type Head,
  headSchema,
  type NodeReport,
  type TenantRecord,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { PUBLISH_POLICY_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from '../scripts/script.js';
import type { PolicySigner, SealKind } from '../seal/policy-seal.js';
import { PolicyVerifier } from '../seal/policy-seal.js';
import { listen, readJson } from './config-redis.js';
import { withdrawNode, writeNodeReport } from './node-reports.js';

/** Where policy lives in Redis. One prefix; tenant keys hold no `:`, so no two records share a name. */
const HEAD_KEY = 'tg:policy:head';
const CATALOGUE_KEY = 'tg:policy:catalogue';
const CONFIRMATION_KEY = 'tg:policy:confirmed';
const ANNOUNCEMENTS = 'tg:policy:announcements';
const TENANT_PREFIX = 'tg:policy:tenant:';

const tenantRecordKey = (tenant: string) => `${TENANT_PREFIX}${tenant}`;

/** Names the tenant of an API key. Never removed: a key does not change hands, and is worth what its tenant's record says. */
const keyOwnerKey = (publicId: string) => `tg:policy:key:${publicId}`;

const publishScript = scriptOf(PUBLISH_POLICY_SCRIPT);

/** Tenant records written in one go before the switch to a new revision. */
const CHUNK = 500;

/** The catalogue as written, and the hash that its head carries. */
export function serializeCatalogue(catalogue: Catalogue): { text: string; hash: string } {
  const text = JSON.stringify(catalogue);
  return { text, hash: sha256Hex(text) };
}

/** SHA-256, hex. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The head as a publisher finds it. */
export interface HeadReading {
  /** Undefined: there is none, or none that this publisher's key has sealed. */
  head: Head | undefined;
  /** As it is stored; null: there is none. */
  stored: string | null;
}

export interface TenantChange {
  tenant: string;
  /** Null: there is no such tenant any more. */
  record: TenantRecord | null;
}

export interface Publication {
  head: Head;
  /** What the publisher last read: a head that was written since is not replaced. */
  over: HeadReading;
  /** Its `catalogueHash` must be that of {@link serializeCatalogue}; left out when the catalogue did not change. */
  catalogue?: Catalogue;
  /** Page by page, so that not all need to be held. */
  tenants: Iterable<readonly TenantChange[]> | AsyncIterable<readonly TenantChange[]>;
  /** Asked for when all tenants are read. */
  announcement: () => Announcement;
}

/** Writes policy, sealed where there is a signer; only the relay does, one at a time. */
export class PolicyPublisher {
  private readonly verifier: PolicyVerifier;

  constructor(
    private readonly redis: Redis,
    private readonly signer?: PolicySigner,
  ) {
    this.verifier = new PolicyVerifier(signer === undefined ? 'unsigned' : [signer.publicKey]);
  }

  async readHead(): Promise<HeadReading> {
    const stored = await this.redis.get(HEAD_KEY);
    return { head: readJson(headSchema, this.verifier.tryOpen('head', stored)), stored };
  }

  /**
   * Puts a revision into force and announces it. Many tenant records are written ahead of the switch, in chunks: a
   * node may see one a moment before its revision is announced, never after.
   */
  async publish(publication: Publication): Promise<'published' | 'superseded'> {
    const { head, over, catalogue, tenants, announcement } = publication;
    let last: StoredRecord[] = [];
    for await (const page of tenants) {
      for (let i = 0; i < page.length; i += CHUNK) {
        await this.writeAhead(last);
        last = this.sealRecords(page.slice(i, i + CHUNK));
      }
    }
    const reply = await runScript(
      this.redis,
      publishScript,
      [HEAD_KEY, CATALOGUE_KEY, ...last.map(({ key }) => key)],
      [
        over.stored ?? '',
        this.seal('head', JSON.stringify(head)),
        // Unsealed: the sealed head contains its hash.
        catalogue === undefined ? '' : serializeCatalogue(catalogue).text,
        ANNOUNCEMENTS,
        this.seal('announcement', JSON.stringify(announcement())),
        ...last.map(({ record }) => record ?? ''),
      ],
    );
    if (reply !== 0 && reply !== 1) throw new Error(`publish-policy: unexpected reply ${String(reply)}`);
    return reply === 1 ? 'published' : 'superseded';
  }

  /** Tells nodes that this revision is still the newest. */
  async confirm(confirmation: Confirmation): Promise<void> {
    await this.redis.set(CONFIRMATION_KEY, this.seal('confirmation', JSON.stringify(confirmation)));
  }

  private async writeAhead(records: readonly StoredRecord[]): Promise<void> {
    if (records.length === 0) return;
    const pipeline = this.redis.pipeline();
    for (const { key, record } of records) {
      if (record === null) pipeline.del(key);
      else pipeline.set(key, record);
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  private sealRecords(changes: readonly TenantChange[]): StoredRecord[] {
    const present = changes.filter(({ record }) => record !== null);
    const texts = present.map(({ record }) => JSON.stringify(record));
    const sealed = this.signer?.sealAll('tenant', texts) ?? texts;
    return [
      ...present.map(({ tenant }, i) => ({ key: tenantRecordKey(tenant), record: sealed[i] ?? null })),
      ...changes
        .filter(({ record }) => record === null)
        .map(({ tenant }) => ({ key: tenantRecordKey(tenant), record: null })),
      ...present.flatMap(({ tenant, record }) =>
        (record?.keys ?? []).map(({ publicId }) => ({ key: keyOwnerKey(publicId), record: tenant })),
      ),
    ];
  }

  private seal(kind: SealKind, text: string): string {
    return this.signer?.seal(kind, text) ?? text;
  }
}

interface StoredRecord {
  key: string;
  /** Null: to be removed. */
  record: string | null;
}

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

/** What a poll finds, as it is stored; null: nothing. */
export interface PolledPolicy {
  head: string | null;
  confirmation: string | null;
}

/** Reads policy, unopened, and reports about the node: what a node asks of the Redis of policy. */
export class PolicySource {
  constructor(private readonly redis: Redis) {}

  async poll(): Promise<PolledPolicy> {
    const [head = null, confirmation = null] = await this.redis.mget(HEAD_KEY, CONFIRMATION_KEY);
    return { head, confirmation };
  }

  /** Head and catalogue of one moment; undefined where one of them is missing. */
  async readCatalogue(): Promise<{ head: string; catalogue: string } | undefined> {
    const [head, catalogue] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    return head == null || catalogue == null ? undefined : { head, catalogue };
  }

  /** The records of `tenants` in their order; null for one that does not exist. */
  async readTenants(tenants: readonly string[]): Promise<(string | null)[]> {
    return tenants.length === 0 ? [] : await this.redis.mget(tenants.map(tenantRecordKey));
  }

  /** The tenants of API keys by public id, in their order; null for nobody's. */
  async readKeyOwners(publicIds: readonly string[]): Promise<(string | null)[]> {
    return publicIds.length === 0 ? [] : await this.redis.mget(publicIds.map(keyOwnerKey));
  }

  /** Calls `onAnnouncement` for each change, and `onSubscribed` whenever changes may have gone unheard. */
  subscribe(onAnnouncement: (announcement: string) => void, onSubscribed: () => void): () => void {
    return listen(this.redis, ANNOUNCEMENTS, onAnnouncement, onSubscribed);
  }

  /** @returns the server's time, microseconds since the Unix epoch */
  report(report: NodeReport): Promise<number> {
    return writeNodeReport(this.redis, report);
  }

  withdraw(nodeId: string): Promise<void> {
    return withdrawNode(this.redis, nodeId);
  }
}
