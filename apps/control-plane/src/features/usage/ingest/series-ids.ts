import { Injectable } from '@nestjs/common';
import type { Outcome } from '@tollgate/contracts';
import { knownTimeZone } from '@tollgate/limiter/algorithms';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { UsageOutcome } from '../../../platform/prisma/schema.js';

/** The tenant id for deleted tenants and for rows beyond a frame's capacity. */
export const NO_TENANT = '*';

/** A tenant resolved from the key that nodes send. */
export interface KnownTenant {
  id: string;
  key: string;
  timeZone: string;
}

@Injectable()
export class TenantDirectory {
  async listByKey(tx: Tx, keys: Iterable<string>): Promise<Map<string, KnownTenant>> {
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...new Set(keys)] } },
      select: { id: true, key: true, timeZone: true },
    });
    return new Map(
      rows.map(({ id, key, timeZone }) => [key, { id, key, timeZone: knownTimeZone(timeZone) }]),
    );
  }
}

/** The dimensions of usage besides tenant and time. */
export interface SeriesName {
  api: string;
  operation: string;
  /** Empty: no limit decided. */
  limit: string;
  outcome: UsageOutcome;
}

/**
 * Most series per API and in total. Callers can send any operation name, and each series costs rows per tenant; names
 * beyond the maximum are counted as `*`.
 */
const MAX_PER_API = 2000;
const MAX_SERIES = 50_000;

const OTHERS = '*';

/** Assigns permanent ids to series and caches them per process. */
@Injectable()
export class SeriesIds {
  private readonly ids = new Map<string, number>();
  private readonly perApi = new Map<string, number>();
  private newestId = 0;
  private loading: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  /** The id of each name, in order. New ids are committed immediately, independently of the caller's transaction. */
  async resolve(names: readonly SeriesName[]): Promise<number[]> {
    await this.load();
    const missing = new Map<string, SeriesName>();
    for (const name of names) if (!this.ids.has(keyOf(name))) missing.set(keyOf(name), name);
    if (missing.size > 0) await this.add([...missing.values()]);
    return names.map((name) => this.idOf(name));
  }

  /** Loads all series once; retries after a failure. */
  private load(): Promise<void> {
    this.loading ??= this.read(0).catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async read(afterId: number): Promise<void> {
    const rows = await this.database.client.usageSeries.findMany({ where: { id: { gt: afterId } } });
    for (const { id, limitName, ...row } of rows) this.remember({ ...row, limit: limitName }, id);
  }

  private async add(missing: readonly SeriesName[]): Promise<void> {
    const wanted = new Map<string, SeriesName>();
    const perApi = new Map(this.perApi);
    let total = this.ids.size;
    for (const name of missing) {
      const known = perApi.get(name.api) ?? 0;
      const room = known < MAX_PER_API && total < MAX_SERIES;
      for (const one of room ? [name] : fallbacksOf(name)) wanted.set(keyOf(one), one);
      if (!room) continue;
      perApi.set(name.api, known + 1);
      total++;
    }
    const data = [...wanted.values()]
      .filter((name) => !this.ids.has(keyOf(name)))
      .map(({ limit, ...rest }) => ({ ...rest, limitName: limit }));
    await this.database.client.usageSeries.createMany({ data, skipDuplicates: true });
    await this.read(this.newestId);
    // Another worker may have committed ids below `newestId` since the last read.
    if (data.some(({ limitName, ...name }) => !this.ids.has(keyOf({ ...name, limit: limitName }))))
      await this.read(0);
  }

  private idOf(name: SeriesName): number {
    for (const one of [name, ...fallbacksOf(name)]) {
      const id = this.ids.get(keyOf(one));
      if (id !== undefined) return id;
    }
    throw new Error(`no series for ${keyOf(name)}`);
  }

  private remember(name: SeriesName, id: number): void {
    const key = keyOf(name);
    if (!this.ids.has(key)) this.perApi.set(name.api, (this.perApi.get(name.api) ?? 0) + 1);
    this.ids.set(key, id);
    this.newestId = Math.max(this.newestId, id);
  }
}

/** Series for names beyond the maximum, most specific first. */
function fallbacksOf({ api, outcome }: SeriesName): SeriesName[] {
  return [
    { api, operation: OTHERS, limit: '', outcome },
    { api: OTHERS, operation: OTHERS, limit: '', outcome },
  ];
}

function keyOf({ api, operation, limit, outcome }: SeriesName): string {
  return `${api} ${operation} ${limit} ${outcome}`;
}

/** Converts an outcome of the wire format to the database enum. */
export function outcomeOf(outcome: Outcome): UsageOutcome {
  return UsageOutcome[outcome.toUpperCase() as keyof typeof UsageOutcome];
}
