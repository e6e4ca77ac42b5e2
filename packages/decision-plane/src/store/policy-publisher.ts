import { hash } from 'node:crypto';
import {
  type Announcement,
  type Catalogue,
  type Confirmation,
  type Head,
  headSchema,
  type TenantRecord,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { publishPolicy } from '../scripts/publish-policy.js';
import type { PolicySigner } from '../seal/policy-signer.js';
import { PolicyVerifier } from '../seal/policy-verifier.js';
import type { SealKind } from '../seal/sealed-text.js';
import { readJson } from './json-record.js';
import {
  ANNOUNCEMENTS,
  CATALOGUE_KEY,
  CONFIRMATION_KEY,
  HEAD_KEY,
  keyOwnerKey,
  tenantRecordKey,
} from './policy-names.js';

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
    const published = await publishPolicy(this.redis, {
      headKey: HEAD_KEY,
      catalogueKey: CATALOGUE_KEY,
      expectedHead: over.stored,
      head: this.seal('head', JSON.stringify(head)),
      // Its hash is in the head, under the head's seal.
      catalogue: catalogue === undefined ? null : serializeCatalogue(catalogue).text,
      channel: ANNOUNCEMENTS,
      announcement: this.seal('announcement', JSON.stringify(announcement())),
      tenantRecords: last,
    });
    return published ? 'published' : 'superseded';
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
