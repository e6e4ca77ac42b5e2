import {
  type Announcement,
  announcementSchema,
  type Confirmation,
  confirmationSchema,
  type Head,
  headSchema,
  type TenantRecord,
  tenantRecordSchema,
} from '@tollgate/contracts';
import {
  CompiledCatalogue,
  checkSubjectRules,
  type PolicyVerifier,
  SealError,
  type SealKind,
} from '@tollgate/policy';
import type { z } from 'zod';
import { readJson } from '../policy-redis/config-redis.js';
import { sha256Hex } from '../policy-redis/policy-store.js';

/** Announcements kept until their revision is active. */
const MAX_ANNOUNCEMENTS = 256;

/** Announcements may arrive in any order. */
export class Announcements {
  private readonly byPrevious = new Map<number, Announcement>();

  add(announcement: Announcement): void {
    this.byPrevious.set(announcement.previous, announcement);
    if (this.byPrevious.size <= MAX_ANNOUNCEMENTS) return;
    const [oldest] = this.byPrevious.keys();
    if (oldest !== undefined) this.byPrevious.delete(oldest);
  }

  /** The tenants that changed between two revisions; null: unknown, because an announcement was missed or names none. */
  tenantsBetween(from: number, to: number): string[] | null {
    const tenants = new Set<string>();
    for (let revision = from; revision !== to; ) {
      const next = this.byPrevious.get(revision);
      if (next === undefined || next.tenants === null || next.revision <= revision || next.revision > to)
        return null;
      for (const tenant of next.tenants) tenants.add(tenant);
      revision = next.revision;
    }
    return [...tenants];
  }

  forgetUpTo(revision: number): void {
    for (const [previous, announcement] of this.byPrevious) {
      if (announcement.revision <= revision) this.byPrevious.delete(previous);
    }
  }
}

/** Characters: the control plane writes no longer records. */
const MAX_CHARS: Readonly<Record<SealKind | 'catalogue', number>> = {
  head: 4096,
  confirmation: 4096,
  announcement: 131_072,
  tenant: 262_144,
  catalogue: 33_554_432,
};

/** Decides for a tenant whose record could not be read again since. */
export interface PastPolicy {
  readonly catalogue: CompiledCatalogue;
  readonly revision: number;
}

/** Opens stored records: checks size, seal and shape. Errors become the node's NACK. */
export class PolicyRecords {
  constructor(private readonly verifier: PolicyVerifier) {}

  /** @throws SealError */
  head(stored: string): Head {
    return this.open('head', 'the head', headSchema, stored);
  }

  /** @throws SealError, also for the record of a different tenant; Error for a subject rule that this node cannot read */
  tenant(tenant: string, stored: string): TenantRecord {
    const record = this.open('tenant', `tenant ${tenant}`, tenantRecordSchema, stored);
    if (record.tenant !== tenant) throw new SealError(`tenant ${tenant}: the record is of ${record.tenant}`);
    checkSubjectRules(record.subjectRules);
    return record;
  }

  announcement(stored: string): Announcement | undefined {
    return this.hint('announcement', announcementSchema, stored);
  }

  confirmation(stored: string | null): Confirmation | undefined {
    return stored === null ? undefined : this.hint('confirmation', confirmationSchema, stored);
  }

  /** Compiles the catalogue that `head` contains the hash of. @throws Error that names the unusable part */
  catalogue(head: Head, text: string): CompiledCatalogue {
    checkLength('catalogue', 'the catalogue', text);
    if (sha256Hex(text) !== head.catalogueHash) throw new SealError('the catalogue does not match its hash');
    return CompiledCatalogue.compile(text);
  }

  private open<T>(kind: SealKind, what: string, schema: z.ZodType<T>, stored: string): T {
    checkLength(kind, what, stored);
    const text = this.textOf(kind, what, stored);
    const record = readJson(schema, text);
    if (record === undefined) throw new SealError(`${what}: unknown record format`);
    return record;
  }

  private textOf(kind: SealKind, what: string, stored: string): string {
    try {
      return this.verifier.open(kind, stored);
    } catch (error) {
      if (error instanceof SealError) throw new SealError(`${what}: ${error.message}`, { cause: error });
      throw error;
    }
  }

  private hint<T>(kind: SealKind, schema: z.ZodType<T>, stored: string): T | undefined {
    if (stored.length > MAX_CHARS[kind]) return undefined;
    return readJson(schema, this.verifier.tryOpen(kind, stored));
  }
}

function checkLength(kind: keyof typeof MAX_CHARS, what: string, text: string): void {
  if (text.length > MAX_CHARS[kind])
    throw new SealError(`${what}: longer than ${MAX_CHARS[kind]} characters`);
}
