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

/** Always READ COMMITTED: the end of an audit chain is read after waiting for it, which an older snapshot would not show. */
interface ChangeOptions extends Omit<TransactionOptions, 'isolationLevel'> {
  reason: string | null;
  /** The answer when a unique key that `work` writes was taken by someone else at the same moment. */
  onTaken?: UserError;
}

type Work<T> = (change: Change) => Promise<T | Refusal<T>>;

/** How often a change is tried that another one stands in the way of. */
const MAX_ATTEMPTS = 4;

/** Rolls a transaction back and carries the outcome to return. */
class RolledBack<T> extends Error {
  /** @param tried entities that a dry run would have published, with the resulting policy */
  constructor(
    readonly outcome: Outcome<T>,
    readonly tried?: { published: readonly PublishedEntity[]; after: PolicyView },
  ) {
    super('Rolled back on purpose');
  }
}

/** Runs changes: one transaction each, all of it or nothing, then a word to the relay. */
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
   * Runs `work` in a transaction and returns its value with the id of the change. A refusal or an error rolls back. A
   * dry run rolls back and returns its impact. Inside another change, `work` joins that change's transaction and id;
   * the outer work must return a refusal itself. Work that the same request already completed under its Idempotency-
   * Key is not repeated: the first outcome is returned.
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
          const done = await this.carryOut(change, work);
          await step?.finish(tx, done);
          return { published: change.published, done };
        }, transaction);
        if (published.length > 0) await this.relayTrigger.fire();
        return done;
      } catch (error) {
        if (error instanceof RolledBack) return this.tell(caller, error as RolledBack<T>);
        if (onTaken !== undefined && isUniqueViolation(error)) return refuse([onTaken]);
        // Rows shared by many tenants are locked before or after those of one tenant: two changes may deadlock.
        if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error;
      }
    }
  }

  /** @throws RolledBack with the outcome, where nothing may be kept */
  private async carryOut<T>(change: Change, work: Work<T>): Promise<Done<T>> {
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
      // Postgres takes no more statements in this transaction: as a refusal it ends the outer work too.
      if (onTaken !== undefined && isUniqueViolation(error)) return refuse([onTaken]);
      throw error;
    }
  }

  /**
   * A dry run's impact is found after its transaction has ended: with a second connection inside of it, dry runs that
   * have all connections would wait for each other.
   */
  private async tell<T>(caller: Caller, { outcome, tried }: RolledBack<T>): Promise<Outcome<T>> {
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
