import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AUDIT_ACTIONS } from '@tollgate/contracts/audit-actions';
import type { OutboxKind, Prisma } from '@tollgate/database';
import type { Caller } from '../access/actor.js';
import { Clock } from '../clock.js';
import { type Impact, type UserError, UserErrorCode } from '../graphql/mutation.graphql.js';
import { newId } from '../ids.js';
import { RelayTrigger } from '../jobs/queues.js';
import {
  Database,
  isDeadlock,
  isUniqueViolation,
  type TransactionOptions,
  type Tx,
} from '../prisma/database.js';
import { ManagedBy } from '../prisma/schema.js';
import { type AuditFacts, type PendingEntry, writeAuditTrail } from './audit-trail.js';
import type { NoticeKind } from './notice-kinds.js';
import { type Done, invalid, type Outcome, type Refusal, refuse, userError } from './outcome.js';

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

  /** Marks tenants or parts of the catalogue for publication. The marks are written at the end of the transaction. */
  publish(kind: OutboxKind, entityKeys: string | readonly string[]): void {
    for (const entityKey of [entityKeys].flat()) this.published.push({ kind, entityKey });
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

/** Always READ COMMITTED: a chain's end is read after waiting for its lock, which an older snapshot would not show. */
interface ChangeOptions extends Omit<TransactionOptions, 'isolationLevel'> {
  reason: string | null;
  /** Error if a unique key is taken concurrently. */
  onTaken?: UserError;
}

type Work<T> = (change: Change) => Promise<T | Refusal<T>>;

/** Attempts after deadlocks. */
const MAX_ATTEMPTS = 4;

class RolledBack<T> extends Error {
  /** @param tried entities that a dry run would have published, with the resulting policy */
  constructor(
    readonly outcome: Outcome<T>,
    readonly tried?: { published: readonly PublishedEntity[]; after: PolicyView },
  ) {
    super('Rolled back on purpose');
  }
}

/** Runs each change in one transaction, then triggers the relay. */
@Injectable()
export class ChangeRunner {
  private readonly enclosing = new AsyncLocalStorage<Change>();

  constructor(
    private readonly database: Database,
    private readonly relayTrigger: RelayTrigger,
    private readonly modules: ModuleRef,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work` in a transaction. Refusals and errors roll back; a dry run rolls back and returns its impact. Inside
   * another change, `work` joins its transaction and change id, and the outer work returns refusals itself. Steps that
   * the same request completed under its Idempotency-Key are not repeated: the first outcome is returned.
   */
  async run<T>(caller: Caller, options: ChangeOptions, work: Work<T>): Promise<Outcome<T>> {
    const outer = this.enclosing.getStore();
    if (outer !== undefined) return this.join(outer, caller, options, work);
    const { reason, onTaken, ...transaction } = options;
    const step = caller.steps?.next();
    for (let attempt = 1; ; attempt++) {
      try {
        const { published, done } = await this.database.transaction(async (tx) => {
          const before = await step?.begin<T>(tx);
          if (before !== undefined) return { published: [], done: before };
          const change = new Change(tx, caller, reason);
          const done = await this.execute(change, work);
          await step?.finish(tx, done);
          return { published: change.published, done };
        }, transaction);
        if (published.length > 0) await this.relayTrigger.fire();
        return done;
      } catch (error) {
        if (error instanceof RolledBack) return this.withImpact(caller, error as RolledBack<T>);
        if (onTaken !== undefined && isUniqueViolation(error)) return refuse([onTaken]);
        // Transactions lock rows of many tenants and of one tenant in different orders.
        if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error;
      }
    }
  }

  /** @throws RolledBack */
  private async execute<T>(change: Change, work: Work<T>): Promise<Done<T>> {
    const result = await this.enclosing.run(change, () => work(change));
    if (isRefusal(result)) throw new RolledBack(result);
    if (change.caller.dryRun === true) {
      const outcome = { ok: true, value: result, changeId: null, impact: null } as const;
      const { tx, published } = change;
      if (published.length === 0) throw new RolledBack(outcome);
      throw new RolledBack(outcome, { published, after: await this.impacts.read(tx, published) });
    }
    const { caller, id: changeId, entries } = change;
    await writeOutbox(change);
    await writeAuditTrail(change.tx, { caller, changeId, at: this.clock.now(), entries });
    return { ok: true, value: result, changeId, impact: null };
  }

  private async join<T>(
    outer: Change,
    caller: Caller,
    { reason, onTaken }: ChangeOptions,
    work: Work<T>,
  ): Promise<Outcome<T>> {
    try {
      const result = await work(outer.within(caller, reason));
      if (isRefusal(result)) return result;
      return { ok: true, value: result, changeId: outer.id, impact: null };
    } catch (error) {
      // The transaction is unusable, so the outer work must end too.
      if (onTaken !== undefined && isUniqueViolation(error)) return refuse([onTaken]);
      throw error;
    }
  }

  /** Computed after the transaction has ended: dry runs that hold all connections would otherwise wait for each other. */
  private async withImpact<T>(caller: Caller, { outcome, tried }: RolledBack<T>): Promise<Outcome<T>> {
    if (tried === undefined || !outcome.ok) return outcome;
    const before = await this.database.transaction((tx) => this.impacts.read(tx, tried.published));
    const impact = this.impacts.compare(before, tried.after);
    caller.onImpact?.(impact);
    return { ...outcome, impact };
  }

  private get impacts(): ImpactSource {
    return this.modules.get(ImpactSource, { strict: false });
  }
}

/** One row per tenant or part of the catalogue, however often it was changed. */
async function writeOutbox({ tx, id, published }: Change): Promise<void> {
  const marks = [...new Map(published.map((mark) => [`${mark.kind} ${mark.entityKey}`, mark])).values()];
  if (marks.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO "outbox_event" ("change_id", "kind", "entity_key")
    SELECT ${id}, mark."kind"::"OutboxKind", mark."key" FROM unnest(
      ${marks.map(({ kind }) => kind)}::text[], ${marks.map(({ entityKey }) => entityKey)}::text[]
    ) AS mark ("kind", "key")`;
}

function isRefusal<T>(result: T | Refusal<T>): result is Refusal<T> {
  return typeof result === 'object' && result !== null && 'ok' in result && result.ok === false;
}
