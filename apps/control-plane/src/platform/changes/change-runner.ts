import { Injectable } from '@nestjs/common';
import type { OutboxKind, Prisma } from '@tollgate/database';
import type { Caller } from '../access/actor.js';
import type { UserError } from '../graphql/user-error.graphql.js';
import { newId } from '../ids/new-id.js';
import { Database, isUniqueViolation, type Tx } from '../prisma/database.js';
import { RelayTrigger } from '../queue/relay-trigger.js';
import { type Outcome, type Refusal, refuse } from './outcome.js';

export interface AuditFacts {
  /** Such as `tier.publish`. */
  action: string;
  /** Type name, such as `Tier`. */
  entity: string;
  entityId: string;
  tenantKey?: string;
  before: Prisma.InputJsonObject | null;
  after: Prisma.InputJsonObject | null;
}

interface ChangeOptions {
  reason: string | null;
  /** The answer when a unique key that `work` writes was taken by someone else at the same moment. */
  onTaken?: UserError;
}

/** One change while its transaction is open. Domain rows, audit row and outbox rows all go through `tx`. */
export class Change {
  readonly id = newId('change');
  /** Whether the relay has something to publish. */
  publishes = false;

  constructor(
    readonly tx: Tx,
    private readonly caller: Caller,
    private readonly reason: string | null,
  ) {}

  async audit(facts: AuditFacts): Promise<void> {
    const { before, after, ...rest } = facts;
    await this.tx.auditEntry.create({
      data: {
        id: newId('auditEntry'),
        actor: this.caller.actor.label,
        actorKind: this.caller.actor.kind,
        requestId: this.caller.requestId,
        reason: this.reason,
        changeId: this.id,
        ...rest,
        ...(before === null ? {} : { before }),
        ...(after === null ? {} : { after }),
      },
    });
  }

  /** Tells the relay what to publish: the catalogue, or the record of the tenant whose key is `entityKey`. */
  async publish(kind: OutboxKind, entityKey: string): Promise<void> {
    this.publishes = true;
    await this.tx.outboxEvent.create({ data: { changeId: this.id, kind, entityKey } });
  }
}

/** Runs changes: one transaction each, all of it or nothing, then a word to the relay. */
@Injectable()
export class ChangeRunner {
  constructor(
    private readonly database: Database,
    private readonly relayTrigger: RelayTrigger,
  ) {}

  /**
   * Runs `work` in a transaction and returns its value with the id of the change. A refusal that `work` returns is
   * passed on; it must not have written anything before. What it throws rolls everything back.
   */
  async run<T>(
    caller: Caller,
    options: ChangeOptions,
    work: (change: Change) => Promise<T | Refusal<T>>,
  ): Promise<Outcome<T>> {
    try {
      const { change, result } = await this.database.client.$transaction(async (tx) => {
        const change = new Change(tx, caller, options.reason);
        return { change, result: await work(change) };
      });
      if (isRefusal(result)) return result;
      if (change.publishes) await this.relayTrigger.fire();
      return { ok: true, value: result, changeId: change.id };
    } catch (error) {
      if (options.onTaken !== undefined && isUniqueViolation(error)) return refuse([options.onTaken]);
      throw error;
    }
  }
}

function isRefusal<T>(result: T | Refusal<T>): result is Refusal<T> {
  return typeof result === 'object' && result !== null && 'ok' in result && result.ok === false;
}
