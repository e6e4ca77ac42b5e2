import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  APP_ROLE,
  checkLogin,
  createPrismaClient,
  type LoginCheck,
  Prisma,
  type PrismaClient,
  scopeKeyOf,
  signSetting,
} from '@tollgate/database';
import { AppConfig } from '../../config/app-config.js';
import { type ApiError, exhausted, outOfTime, unavailable } from '../api-error.js';
import { currentQuery, currentScope, currentWork, type Scope } from '../tenant-scope.js';
import { OperationSlots } from './operation-slots.js';
import { isSameScope, SharedReads } from './shared-reads.js';

/** Number of cached signatures. */
const KEPT = 1000;

/** Settings of row-level security. They are signed, so that injected SQL cannot claim a wider scope. */
export class ScopeSettings {
  private readonly key: ReturnType<typeof scopeKeyOf>;
  private readonly kept = new Map<string, string>();

  constructor(secret: string) {
    this.key = scopeKeyOf(secret);
  }

  scope(scope: Scope): string {
    const claim = typeof scope === 'string' ? scope : `tenants:${scope.join(',')}`;
    const kept = this.kept.get(claim);
    if (kept !== undefined) return kept;
    const signed = signSetting(this.key, 'tollgate.scope', claim);
    if (this.kept.size >= KEPT) this.kept.clear();
    this.kept.set(claim, signed);
    return signed;
  }

  /** Allows access to the steps of one idempotency key. */
  request(keyId: string): string {
    return signSetting(this.key, 'tollgate.request', keyId);
  }
}

export type Tx = Prisma.TransactionClient;

export interface TransactionOptions {
  isolationLevel?: Prisma.TransactionIsolationLevel;
  timeout?: number;
  maxWait?: number;
}

/** Milliseconds after which Postgres cancels a statement. */
interface Timeouts {
  lock: number;
  statement: number;
}

/** A statement of a request waits for locks of tables only: most read. */
const STATEMENT: Timeouts = { lock: 3000, statement: 15_000 };
/** Changes of one object wait for each other. */
const TRANSACTION: Timeouts = { lock: 10_000, statement: 15_000 };
const JOB: Timeouts = { lock: 15_000, statement: 600_000 };

/** Longest delay of a timer. */
const UNBOUNDED_MS = 2 ** 31 - 1;

/** Longest wait for a connection of the operation. */
const MAX_WAIT_MS = 10_000;

/**
 * Undefined: Postgres waits as long as it is configured to, for setup and maintenance.
 * @param timeoutMs of a transaction that may take longer than usual
 */
function timeoutsOf(of: Timeouts, timeoutMs = 0): Timeouts | undefined {
  const { kind } = currentWork();
  if (kind === 'other') return undefined;
  const { lock, statement } = kind === 'job' ? JOB : of;
  return { lock: Math.max(lock, timeoutMs), statement: Math.max(statement, timeoutMs) };
}

interface OpenTransaction {
  tx: Tx;
  scope: Scope;
  isOpen: boolean;
}

const STATEMENT_POOLING = /statement pooling mode/;
const SETTINGS_LOST =
  'The connection pooler does not keep the settings of a transaction (role, UTC). Use transaction mode: pool_mode = transaction.';

/**
 * The connection to Postgres. Row-level security applies to its login: every statement runs in a transaction that first
 * sets its role, time zone and signed scope, because a pooler may use another connection for each transaction. Only
 * repositories and `platform/` use it.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  /**
   * For single statements in the scope of the request. Inside `transaction` they join it: with a second connection each,
   * concurrent transactions could exhaust the pool and wait for each other.
   */
  readonly client: Tx;
  /** Users, sessions and credentials, for any caller; tenants and members are read-only. */
  readonly accounts: PrismaClient;
  /** Idempotency keys, for any caller. */
  readonly requests: Tx;
  private readonly pool: PrismaClient;
  /** A separate connection: readiness must not depend on free ones. */
  private readonly pingPool: PrismaClient;
  private readonly slots: OperationSlots;
  private readonly reads: SharedReads;
  private connections: { totalCount: number; idleCount: number; waitingCount: number } | undefined;
  private readonly settings: ScopeSettings;
  /** The first database error inside `surfacing`. */
  private readonly failures = new AsyncLocalStorage<{ first?: ApiError }>();
  private readonly openTransaction = new AsyncLocalStorage<OpenTransaction | undefined>();

  constructor(config: AppConfig) {
    this.settings = new ScopeSettings(config.databaseScopeSecrets[0]);
    this.pool = createPrismaClient(config.databaseUrl, {
      max: config.databaseMaxConnections,
      setsTimeZone: false,
      onPool: (pool) => {
        this.connections = pool;
      },
    });
    this.pingPool = createPrismaClient(config.databaseUrl, { max: 1, setsTimeZone: false });
    this.slots = new OperationSlots(Math.ceil(config.databaseMaxConnections / 2));
    this.reads = new SharedReads((scope, work) => {
      const run = () => this.statementTransaction(scope, timeoutsOf(STATEMENT), work, { isReadOnly: true });
      return this.slots.run(currentWork().operation, MAX_WAIT_MS, run);
    });
    this.client = this.scoped(currentScope, () => currentWork().operation);
    this.requests = this.scoped(() => 'requests');
    this.accounts = this.accountsClient();
  }

  /** Runs `work` in one transaction in the scope of the request. @throws Error inside another transaction */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (this.findOpenTransaction(currentScope()) !== undefined) {
      throw new Error('A transaction is open already: pass its tx instead of opening another one');
    }
    return this.transactionIn(currentScope(), (tx) => this.joining(tx, currentScope(), work), options);
  }

  /** Runs `work` in a transaction that only holds a lock: other statements do not join it and commit on their own. */
  exclusive<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.transactionIn(currentScope(), work, options);
  }

  /** Allows `tx` to access the steps of this idempotency key. */
  async enterRequest(tx: Tx, keyId: string): Promise<void> {
    await tx.$executeRaw`SELECT set_config('tollgate.request', ${this.settings.request(keyId)}, true)`;
  }

  /** Runs library code that hides database errors. @throws ApiError UNAVAILABLE for such an error */
  async surfacing<T>(work: () => Promise<T>): Promise<T> {
    const failures: { first?: ApiError } = {};
    const outcome = await this.failures.run(failures, () =>
      work().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      ),
    );
    if (failures.first !== undefined) throw failures.first;
    return outcome();
  }

  /** Connections by state, and requests that wait for one. */
  countConnections(): { used: number; idle: number; waiting: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.connections ?? {};
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async ping(): Promise<void> {
    await this.pingPool.$queryRaw`SELECT 1`;
  }

  /**
   * Reasons not to run with this database, and reasons why row-level security does not restrict its login.
   * `knowsKey`: whether the database accepts our signatures.
   */
  async checkLogin(): Promise<LoginCheck & { knowsKey: boolean }> {
    try {
      const facts = await checkLogin((sql) => this.pool.$queryRawUnsafe(sql));
      if (facts.blockers.length > 0) return { ...facts, knowsKey: true };
      return await this.transactionIn('all', async (tx) => {
        const [now] = await tx.$queryRaw<{ role: string; zone: string; known: boolean }[]>`
          SELECT current_user::text AS role, current_setting('TimeZone') AS zone, tollgate_sees_all() AS known`;
        const kept = now?.role === APP_ROLE && now.zone === 'UTC';
        return { ...facts, blockers: kept ? [] : [SETTINGS_LOST], knowsKey: now?.known === true };
      });
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      if (!STATEMENT_POOLING.test(errorText(cause))) throw this.toApiError(error);
      return { login: '', problems: [], blockers: [SETTINGS_LOST], knowsKey: true };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.$disconnect(), this.pingPool.$disconnect()]);
  }

  private async transactionIn<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const timeouts = timeoutsOf(TRANSACTION, options?.timeout);
    const { operation } = currentWork();
    try {
      return await this.slots.run(operation, options?.maxWait ?? MAX_WAIT_MS, () =>
        this.pool.$transaction(async (tx) => {
          await this.enter(tx, scope, timeouts);
          return work(tx);
        }, options),
      );
    } catch (error) {
      throw this.toApiError(error);
    }
  }

  /** Statements of `client` join `tx` until `work` has ended. */
  private async joining<T>(tx: Tx, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
    const transaction = { tx, scope, isOpen: true };
    try {
      return await this.openTransaction.run(transaction, () => work(tx));
    } finally {
      transaction.isOpen = false;
    }
  }

  /** The open transaction of this scope. */
  private findOpenTransaction(scope: Scope): Tx | undefined {
    const open = this.openTransaction.getStore();
    return open?.isOpen === true && isSameScope(open.scope, scope) ? open.tx : undefined;
  }

  /** Converts errors of an unavailable, busy or full database to ApiError UNAVAILABLE. */
  private toApiError(error: unknown): unknown {
    const failure = unavailability(error);
    if (failure === undefined) return error;
    const noted = this.failures.getStore();
    if (noted !== undefined) noted.first ??= failure;
    return Object.assign(failure, { cause: error });
  }

  /**
   * A client that runs each statement in a transaction with the scope of `scopeOf`.
   * @param operationOf the operation that bounds its connections; undefined: none
   */
  private scoped(scopeOf: () => Scope, operationOf: () => string | undefined = () => undefined): Tx {
    const { pool } = this;
    const extended = pool.$extends({
      query: {
        $allOperations: async ({ model, operation, args, query }) => {
          const scope = scopeOf();
          const open = this.findOpenTransaction(scope);
          if (open !== undefined) return runIn(open, model, operation, args);
          const request = READS.has(operation) ? currentQuery() : undefined;
          const timeouts = timeoutsOf(STATEMENT);
          const inBatch = async () => {
            // A PrismaPromise despite its declared type: it runs as part of the batch.
            const statement = query(args) as Prisma.PrismaPromise<unknown>;
            const [, result] = await pool.$transaction([this.enter(pool, scope, timeouts), statement]);
            return result;
          };
          const inTx = async (tx: Tx) => runIn(tx, model, operation, args);
          // Prisma compiles an operation of a model once, but in a batch each time, which costs more than the transaction.
          const inTransaction = () => this.statementTransaction(scope, timeouts, inTx);
          try {
            if (request !== undefined) return await this.reads.run(request, scope, inTx);
            const run = model === undefined ? inBatch : inTransaction;
            return await this.slots.run(operationOf(), MAX_WAIT_MS, run);
          } catch (error) {
            throw this.toApiError(error);
          }
        },
      },
    });
    return extended as unknown as Tx;
  }

  /** Runs statements that each have their own timeout. */
  private statementTransaction<T>(
    scope: Scope,
    timeouts: Timeouts | undefined,
    work: (tx: Tx) => Promise<T>,
    { isReadOnly = false } = {},
  ): Promise<T> {
    const timeout = timeouts === undefined || isReadOnly ? UNBOUNDED_MS : timeouts.statement + MAX_WAIT_MS;
    const enterAndWork = async (tx: Tx) => {
      await this.enter(tx, scope, timeouts, isReadOnly);
      return work(tx);
    };
    return this.pool.$transaction(enterAndWork, { maxWait: MAX_WAIT_MS, timeout });
  }

  /** With `$transaction`, because better-auth opens transactions itself. */
  private accountsClient(): PrismaClient {
    const client = this.scoped(() => 'accounts');
    const $transaction = (work: (tx: Tx) => Promise<unknown>, options?: TransactionOptions) =>
      this.transactionIn('accounts', work, options);
    return new Proxy(client as PrismaClient, {
      get: (target, name, receiver) =>
        name === '$transaction' ? $transaction : Reflect.get(target, name, receiver),
    });
  }

  private enter(
    tx: Tx,
    scope: Scope,
    timeouts: Timeouts | undefined,
    isReadOnly = false,
  ): Prisma.PrismaPromise<number> {
    if (timeouts !== undefined) {
      return tx.$executeRaw`
        SELECT set_config('role', ${APP_ROLE}, true), set_config('TimeZone', 'UTC', true),
          set_config('tollgate.scope', ${this.settings.scope(scope)}, true),
          set_config('lock_timeout', ${String(timeouts.lock)}, true),
          set_config('statement_timeout', ${String(timeouts.statement)}, true) ${isReadOnly ? READ_ONLY : Prisma.empty}`;
    }
    return tx.$executeRaw`
      SELECT set_config('role', ${APP_ROLE}, true), set_config('TimeZone', 'UTC', true),
        set_config('tollgate.scope', ${this.settings.scope(scope)}, true)`;
  }
}

const READ_ONLY = Prisma.sql`, set_config('transaction_read_only', 'on', true)`;

/** Operations that write nothing. Raw SQL of a GraphQL query only reads: Postgres rejects a write. */
const READS: ReadonlySet<string> = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
  '$queryRaw',
]);

/** Runs an operation of a Prisma client in a transaction. */
function runIn(tx: Tx, model: string | undefined, operation: string, args: unknown): unknown {
  type Operations = Record<string, (...args: unknown[]) => unknown>;
  if (model !== undefined) {
    const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
    return (tx as unknown as Record<string, Operations>)[name]?.[operation]?.(args);
  }
  return (tx as unknown as Operations)[operation]?.(...(Array.isArray(args) ? args : [args]));
}

/** Postgres is unreachable, shutting down or starting up. */
const UNAVAILABLE_CODE = /^(P1001|P1002|P1008|P1017)$/;
const UNAVAILABLE_TEXT =
  /\b(57P0[123]|08\w{3}|ECONNREFUSED|ECONNRESET|Connection terminated|DatabaseNotReachable|ConnectionClosed|SocketTimeout)\b/;

/** Out of disk space, memory or connections. */
const EXHAUSTED_TEXT = /\b(53[0-9]{3}|TooManyConnections)\b/;

/**
 * Prisma got no connection in time or ended a slow transaction. The code also reports use of a finished transaction,
 * which is a bug.
 */
const OUT_OF_TIME = 'P2028';
/** Postgres canceled a statement: 55P03 by `lock_timeout`, 57014 by `statement_timeout`. */
const CANCELED_TEXT = /\b(55P03|57014)\b/;
const OUT_OF_TIME_WORDS = /Unable to start a transaction|expired transaction|Transaction not found/;

export function isDatabaseUnavailable(error: unknown): boolean {
  const isKnown = error instanceof Prisma.PrismaClientKnownRequestError;
  return (isKnown && UNAVAILABLE_CODE.test(error.code)) || UNAVAILABLE_TEXT.test(errorText(error));
}

/** Text of the driver or Postgres error; errors that end a transaction may not be wrapped by Prisma. */
function errorText(error: unknown): string {
  if (error instanceof Prisma.PrismaClientKnownRequestError)
    return `${error.message} ${JSON.stringify(error.meta ?? {})}`;
  const isDriverError = error instanceof Error && error.name === 'DriverAdapterError';
  return isDriverError ? JSON.stringify(error.cause ?? {}) : '';
}

function isOutOfTime(error: unknown): boolean {
  const isKnown = error instanceof Prisma.PrismaClientKnownRequestError;
  return isKnown && error.code === OUT_OF_TIME && OUT_OF_TIME_WORDS.test(error.message);
}

function unavailability(error: unknown): ApiError | undefined {
  if (isDatabaseUnavailable(error)) return unavailable();
  if (isOutOfTime(error) || CANCELED_TEXT.test(errorText(error))) return outOfTime();
  return EXHAUSTED_TEXT.test(errorText(error)) ? exhausted() : undefined;
}

/** A retry may succeed. */
export function isDeadlock(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  return (
    error.code === 'P2034' ||
    (error.code === 'P2010' && /40P01|deadlock detected/.test(JSON.stringify(error)))
  );
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
