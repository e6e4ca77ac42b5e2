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
import type { z } from 'zod';
import { CompiledCatalogue } from '../policy/catalogue.js';
import { type PolicyVerifier, SealError } from '../seal/policy-verifier.js';
import type { SealKind } from '../seal/sealed-text.js';
import { readJson } from '../store/config-redis.js';
import { sha256Hex } from '../store/policy-store.js';

/** Longest records that are looked at, characters: what is longer was not written by a control plane. */
const MAX_CHARS: Readonly<Record<SealKind | 'catalogue', number>> = {
  head: 4096,
  confirmation: 4096,
  announcement: 131_072,
  tenant: 262_144,
  catalogue: 33_554_432,
};

/** Opens what is stored: size, seal, shape. Every way out but the record is an error that says what is wrong: the NACK. */
export class PolicyRecords {
  constructor(private readonly verifier: PolicyVerifier) {}

  /** @throws SealError */
  head(stored: string): Head {
    return this.open('head', 'the head', headSchema, stored);
  }

  /** @throws SealError also where it is another tenant's record */
  tenant(tenant: string, stored: string): TenantRecord {
    const record = this.open('tenant', `tenant ${tenant}`, tenantRecordSchema, stored);
    if (record.tenant !== tenant) throw new SealError(`tenant ${tenant}: the record is of ${record.tenant}`);
    return record;
  }

  /** Undefined for what cannot be used: an announcement is a hint. */
  announcement(stored: string): Announcement | undefined {
    return this.hint('announcement', announcementSchema, stored);
  }

  /** Undefined for nothing, and for what cannot be used. */
  confirmation(stored: string | null): Confirmation | undefined {
    return stored === null ? undefined : this.hint('confirmation', confirmationSchema, stored);
  }

  /** The catalogue that `head` vouches for, compiled. @throws Error that says which part cannot be used */
  catalogue(head: Head, text: string): CompiledCatalogue {
    checkLength('catalogue', 'the catalogue', text);
    if (sha256Hex(text) !== head.catalogueHash) throw new SealError('the catalogue does not match its hash');
    return CompiledCatalogue.compile(text);
  }

  private open<T>(kind: SealKind, what: string, schema: z.ZodType<T>, stored: string): T {
    checkLength(kind, what, stored);
    const text = this.textOf(kind, what, stored);
    const record = readJson(schema, text);
    if (record === undefined) throw new SealError(`${what}: it has a shape that this version does not know`);
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
