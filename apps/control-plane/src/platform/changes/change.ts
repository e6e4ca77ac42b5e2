import { AUDIT_ACTIONS } from '@tollgate/contracts/audit-actions';
import type { OutboxKind, Prisma } from '@tollgate/database';
import type { Caller } from '../access/actor.js';
import type { Impact } from '../graphql/mutation.graphql.js';
import { type UserError, UserErrorCode } from '../graphql/user-error.graphql.js';
import { newId } from '../ids.js';
import type { Tx } from '../prisma/database.js';
import { ManagedBy } from '../prisma/schema.js';
import type { AuditFacts, PendingEntry } from './audit-trail.js';
import type { NoticeKind } from './notice-kinds.js';
import { invalid, userError } from './outcome.js';

export interface PublishedEntity {
  kind: OutboxKind;
  /** Key of the tenant, or the changed part of the catalogue, such as `tier:pro`. */
  entityKey: string;
}

/** Policy as seen by one transaction; opaque to callers. */
export type PolicyView = object;

export abstract class ImpactSource {
  /** Policy of all tenants that `published` may affect. */
  abstract read(tx: Tx, published: readonly PublishedEntity[]): Promise<PolicyView>;

  abstract compare(before: PolicyView, after: PolicyView): Impact;
}

export interface NoticeFacts {
  kind: NoticeKind;
  /** Omitted: for operators. */
  tenant?: { id: string; key: string };
  data: Prisma.InputJsonObject;
  /** At most one notice has this key. */
  dedupeKey?: string;
}

/** A change with an open transaction. All writes go through `tx`. */
export class Change {
  /** Name of the object in the change that this one reverts. */
  revertedName: string | null = null;

  constructor(
    readonly tx: Tx,
    readonly caller: Caller,
    private readonly reason: string | null,
    readonly id = newId('change'),
    readonly published: PublishedEntity[] = [],
    readonly entries: PendingEntry[] = [],
  ) {}

  /** The same change with another caller or reason. */
  within(caller: Caller, reason: string | null): Change {
    const inner = new Change(this.tx, caller, reason ?? this.reason, this.id, this.published, this.entries);
    inner.revertedName = this.revertedName;
    return inner;
  }

  /** Adds an audit entry, which is written at the end of the transaction. */
  async audit(facts: AuditFacts): Promise<void> {
    // A copy, so that the hash covers exactly the stored value.
    const copy = (value: AuditFacts['before']): AuditFacts['before'] =>
      value === null ? null : JSON.parse(JSON.stringify(value));
    const { action, before, after } = facts;
    this.entries.push({
      ...facts,
      entity: AUDIT_ACTIONS[action],
      before: copy(before),
      after: copy(after),
      reason: this.reason,
      revertedName: this.revertedName,
    });
  }

  /** Marks a tenant or a part of the catalogue for publication. */
  async publish(kind: OutboxKind, entityKey: string): Promise<void> {
    this.published.push({ kind, entityKey });
    await this.tx.outboxEvent.create({ data: { changeId: this.id, kind, entityKey } });
  }

  async publishMany(kind: OutboxKind, entityKeys: readonly string[]): Promise<void> {
    if (entityKeys.length === 0) return;
    for (const entityKey of entityKeys) this.published.push({ kind, entityKey });
    await this.tx.$executeRaw`
      INSERT INTO "outbox_event" ("change_id", "kind", "entity_key")
      SELECT ${this.id}, ${kind}::"OutboxKind", unnest(${entityKeys}::text[])`;
  }

  /** Creates a notice. */
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

/**
 * The error for changing an object that the configuration file manages. Undefined if the change is allowed: by
 * configurations, by system jobs, or with `force` and a reason.
 */
export function findManaged(
  caller: Caller,
  { managedBy }: { managedBy: ManagedBy },
  what: string,
  reason: string | null,
): UserError | undefined {
  if (managedBy !== ManagedBy.CONFIG || caller.fromConfig === true || caller.actor.kind === 'SYSTEM')
    return undefined;
  if (caller.force !== true) {
    const message = `The ${what} is managed by a configuration file. Change it there and run \`tollgate config apply\`, or use \`force\` with a reason until the next apply.`;
    return userError(UserErrorCode.MANAGED_BY_CONFIG, null, message);
  }
  if (reason !== null) return undefined;
  return invalid(['reason'], '`reason` is required with `force`.');
}
