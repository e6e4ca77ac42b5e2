import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Caller } from '../access/actor.js';
import { Clock } from '../clock.js';
import type { UserError } from '../graphql/user-error.graphql.js';
import { RelayTrigger } from '../jobs/queues.js';
import { Database, isDeadlock, isUniqueViolation, type TransactionOptions } from '../prisma/database.js';
import { writeAuditTrail } from './audit-trail.js';
import { Change, ImpactSource, type PolicyView, type PublishedEntity } from './change.js';
import { type Done, type Outcome, type Refusal, refuse } from './outcome.js';

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

function isRefusal<T>(result: T | Refusal<T>): result is Refusal<T> {
  return typeof result === 'object' && result !== null && 'ok' in result && result.ok === false;
}
