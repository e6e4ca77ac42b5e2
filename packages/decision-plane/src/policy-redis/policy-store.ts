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
import { runScript, scriptOf } from '@tollgate/limiter/stores';
import { type PolicySigner, PolicyVerifier, type SealKind } from '@tollgate/policy';
import type { Redis } from 'ioredis';
import { PUBLISH_POLICY_SCRIPT } from '../generated/scripts.js';
import { listen, readJson } from './config-redis.js';
import { withdrawNode, writeNodeReport } from './node-reports.js';

/** Tenant names contain no `:`, so keys are unique. */
const HEAD_KEY = 'tg:policy:head';
const CATALOGUE_KEY = 'tg:policy:catalogue';
const CONFIRMATION_KEY = 'tg:policy:confirmed';
const ANNOUNCEMENTS = 'tg:policy:announcements';
const TENANT_PREFIX = 'tg:policy:tenant:';

const tenantRecordKey = (tenant: string) => `${TENANT_PREFIX}${tenant}`;

/** Never removed: a key never changes its tenant, whose record says whether it is valid. */
const keyOwnerKey = (publicId: string) => `tg:policy:key:${publicId}`;

const publishScript = scriptOf(PUBLISH_POLICY_SCRIPT);

const CHUNK = 500;

export function serializeCatalogue(catalogue: Catalogue): { text: string; hash: string } {
  const text = JSON.stringify(catalogue);
  return { text, hash: sha256Hex(text) };
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

export interface HeadReading {
  head: Head | undefined;
  stored: string | null;
}

export interface TenantChange {
  tenant: string;
  record: TenantRecord | null;
}

export interface Publication {
  head: Head;
  /** The head that the publisher last read; a newer one is not replaced. */
  over: HeadReading;
  /** `catalogueHash` of the head must match {@link serializeCatalogue}. Omitted if the catalogue has not changed. */
  catalogue?: Catalogue;
  tenants: Iterable<readonly TenantChange[]> | AsyncIterable<readonly TenantChange[]>;
  announcement: () => Announcement;
}

/** Writes policy, sealed if there is a signer. Only the relay uses it, one at a time. */
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

  /** Tenant records are written before the switch, in chunks: nodes may see one shortly before its revision, never after. */
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
  record: string | null;
}

const AT_ONCE = 100;

export interface FoundRecord {
  tenant: string;
  /** Whether its seal is valid. */
  isOurs: boolean;
}

export class PolicySweeper {
  constructor(
    private readonly redis: Redis,
    private readonly verifier: PolicyVerifier,
  ) {}

  /** Whether the catalogue matches the hash in a validly sealed head. An invalid head is replaced by the relay. */
  async isCatalogueWhole(): Promise<boolean> {
    const [storedHead, catalogue] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    const head = readJson(headSchema, this.verifier.tryOpen('head', storedHead));
    return head === undefined || (catalogue != null && sha256Hex(catalogue) === head.catalogueHash);
  }

  async restoreCatalogue(text: string): Promise<void> {
    await this.redis.set(CATALOGUE_KEY, text);
  }

  /** As SCAN; the next cursor is `0` at the end. */
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

export interface PolledPolicy {
  head: string | null;
  confirmation: string | null;
}

export class PolicySource {
  constructor(private readonly redis: Redis) {}

  async poll(): Promise<PolledPolicy> {
    const [head = null, confirmation = null] = await this.redis.mget(HEAD_KEY, CONFIRMATION_KEY);
    return { head, confirmation };
  }

  /** Head and catalogue, read atomically; undefined if one of them is missing. */
  async readCatalogue(): Promise<{ head: string; catalogue: string } | undefined> {
    const [head, catalogue] = await this.redis.mget(HEAD_KEY, CATALOGUE_KEY);
    return head == null || catalogue == null ? undefined : { head, catalogue };
  }

  async readTenants(tenants: readonly string[]): Promise<(string | null)[]> {
    return tenants.length === 0 ? [] : await this.redis.mget(tenants.map(tenantRecordKey));
  }

  async readKeyOwners(publicIds: readonly string[]): Promise<(string | null)[]> {
    return publicIds.length === 0 ? [] : await this.redis.mget(publicIds.map(keyOwnerKey));
  }

  /** `onSubscribed`: announcements may have been missed. */
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
