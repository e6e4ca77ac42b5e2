import type { OutboxKind, Prisma } from '@tollgate/database';
import type { Caller } from '../access/actor.js';
import { newId } from '../ids/new-id.js';
import type { Tx } from '../prisma/database.js';
import type { AuditFacts, PendingEntry } from './audit-trail.js';
import type { PublishedEntity } from './impact-source.js';
import type { NoticeKind } from './notice-kinds.js';

export interface NoticeFacts {
  kind: NoticeKind;
  /** Left out: it is for operators. */
  tenant?: { id: string; key: string };
  data: Prisma.InputJsonObject;
  /** At most one notice of this text is ever made; left out: each is a new one. */
  dedupeKey?: string;
}

/** One change while its transaction is open. Domain rows, audit row, outbox rows and notices all go through `tx`. */
export class Change {
  constructor(
    readonly tx: Tx,
    readonly caller: Caller,
    private readonly reason: string | null,
    readonly id = newId('change'),
    /** What the relay has to publish. */
    readonly published: PublishedEntity[] = [],
    /** What the audit trail will say, in the order in which it happened. */
    readonly entries: PendingEntry[] = [],
  ) {}

  /** The same change, for a part of it that is asked for in another way. */
  within(caller: Caller, reason: string | null): Change {
    return new Change(this.tx, caller, reason ?? this.reason, this.id, this.published, this.entries);
  }

  /** Says in the audit trail what was done: written at the end of the transaction, which is when its chain is locked. */
  async audit(facts: AuditFacts): Promise<void> {
    // A copy as JSON: what is hashed is what is stored, whatever becomes of the object.
    const copy = (value: AuditFacts['before']): AuditFacts['before'] =>
      value === null ? null : JSON.parse(JSON.stringify(value));
    const { before, after } = facts;
    this.entries.push({ ...facts, before: copy(before), after: copy(after), reason: this.reason });
  }

  /** Tells the relay what to publish: the catalogue, or the record of the tenant whose key is `entityKey`. */
  async publish(kind: OutboxKind, entityKey: string): Promise<void> {
    this.published.push({ kind, entityKey });
    await this.tx.outboxEvent.create({ data: { changeId: this.id, kind, entityKey } });
  }

  /** As `publish`, for many at once. */
  async publishMany(kind: OutboxKind, entityKeys: readonly string[]): Promise<void> {
    if (entityKeys.length === 0) return;
    for (const entityKey of entityKeys) this.published.push({ kind, entityKey });
    await this.tx.$executeRaw`
      INSERT INTO "outbox_event" ("change_id", "kind", "entity_key")
      SELECT ${this.id}, ${kind}::"OutboxKind", unnest(${entityKeys}::text[])`;
  }

  /** Tells people, once the change is committed. */
  async notify({ kind, tenant, data, dedupeKey }: NoticeFacts): Promise<void> {
    const row = {
      id: newId('notice'),
      kind,
      tenantId: tenant?.id ?? null,
      tenantKey: tenant?.key ?? null,
      data,
      dedupeKey: dedupeKey ?? null,
    };
    await this.tx.notice.createMany({ data: [row], skipDuplicates: true });
  }
}
