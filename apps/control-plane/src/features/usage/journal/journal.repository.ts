import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { DecisionSample as SampleMessage } from '@tollgate/contracts';
import type { DecisionSample } from '@tollgate/database';
import type { QuotaCheckpoint } from '@tollgate/decision-plane/operate';
import { AppConfig } from '../../../config/app-config.js';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { UsageOutcome } from '../../../platform/prisma/schema.js';
import { type KnownTenant, outcomeOf } from '../ingest/series-ids.js';

/**
 * Merges readings by counter and period: the highest usage, except that a refund replaces all earlier readings.
 * Equivalent to the decision plane's `scripts/quota-checkpoint-1.lua`.
 */
export function mergeCheckpoints(seen: readonly QuotaCheckpoint[]): QuotaCheckpoint[] {
  const merged = new Map<string, QuotaCheckpoint>();
  for (const one of seen) {
    const name = `${one.periodEndMs} ${one.tenant} ${one.key}`;
    const kept = merged.get(name);
    if (kept === undefined) {
      merged.set(name, one);
      continue;
    }
    const lowers = one.loweredAtUs > kept.atUs;
    if (!lowers && (one.used <= kept.used || one.atUs <= kept.loweredAtUs)) continue;
    merged.set(name, { ...one, loweredAtUs: lowers ? one.loweredAtUs : kept.loweredAtUs });
  }
  return [...merged.values()];
}

/** Cursor of a page of checkpoints. */
interface Cursor {
  tenantId: string;
  counter: string;
  periodEnd: Date;
}

/** Stores quota usage, so that it survives the loss of Redis. */
@Injectable()
export class CheckpointsRepository {
  constructor(private readonly database: Database) {}

  /** Raises stored usage to the readings, or lowers it after a refund. Commutative and idempotent. */
  async raise(
    tx: Tx,
    seen: readonly QuotaCheckpoint[],
    tenants: ReadonlyMap<string, KnownTenant>,
  ): Promise<void> {
    const rows = mergeCheckpoints(seen.filter(({ tenant }) => tenants.has(tenant)));
    if (rows.length === 0) return;
    await tx.$executeRaw`
      INSERT INTO "quota_checkpoint" AS kept
        ("tenant_id", "counter", "period_end", "used", "at_us", "lowered_at_us")
      SELECT "tenant_id", "counter", to_timestamp("period_end_s"), "used", "at_us", "lowered_at_us"
      FROM unnest(
        ${rows.map(({ tenant }) => tenants.get(tenant)?.id ?? '')}::text[],
        ${rows.map(({ key }) => key)}::text[],
        ${rows.map(({ periodEndMs }) => periodEndMs / 1000)}::float8[],
        ${rows.map(({ used }) => `${used}`)}::bigint[],
        ${rows.map(({ atUs }) => `${atUs}`)}::bigint[],
        ${rows.map(({ loweredAtUs }) => `${loweredAtUs}`)}::bigint[]
      ) AS seen ("tenant_id", "counter", "period_end_s", "used", "at_us", "lowered_at_us")
      ON CONFLICT ("tenant_id", "counter", "period_end") DO UPDATE SET
        "used" = excluded."used",
        "at_us" = excluded."at_us",
        "lowered_at_us" = CASE WHEN excluded."lowered_at_us" > kept."at_us"
          THEN excluded."lowered_at_us" ELSE kept."lowered_at_us" END
      WHERE excluded."lowered_at_us" > kept."at_us"
        OR (excluded."used" > kept."used" AND excluded."at_us" > kept."lowered_at_us")`;
  }

  /** Checkpoints of open periods, in pages. */
  async *listOpen(now: Date, pageSize: number): AsyncGenerator<QuotaCheckpoint[]> {
    let after: Cursor = { tenantId: '', counter: '', periodEnd: new Date(0) };
    for (;;) {
      const rows = await this.listPage(now, after, pageSize);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last;
      yield rows.map(({ tenantKey, counter, periodEnd, used, atUs, loweredAtUs }) => ({
        tenant: tenantKey,
        key: counter,
        periodEndMs: periodEnd.getTime(),
        used: Number(used),
        atUs: Number(atUs),
        loweredAtUs: Number(loweredAtUs),
      }));
      if (rows.length < pageSize) return;
    }
  }

  private listPage(now: Date, { tenantId, counter, periodEnd }: Cursor, first: number) {
    return this.database.client.$queryRaw<
      (Cursor & { tenantKey: string; used: bigint; atUs: bigint; loweredAtUs: bigint })[]
    >`
      SELECT c."tenant_id" AS "tenantId", t."key" AS "tenantKey", c."counter", c."period_end" AS "periodEnd",
        c."used", c."at_us" AS "atUs", c."lowered_at_us" AS "loweredAtUs"
      FROM "quota_checkpoint" c JOIN "tenant" t ON t."id" = c."tenant_id"
      WHERE c."period_end" > ${now}
        AND (c."tenant_id", c."counter", c."period_end") > (${tenantId}, ${counter}, ${periodEnd})
      ORDER BY c."tenant_id", c."counter", c."period_end" LIMIT ${first}`;
  }
}

/**
 * Pseudonymizes the identifiers in sampled decisions with a keyed hash. They can be found by identifier, but not read
 * from the database or guessed without the key. The same identifier has different pseudonyms in different tenants.
 */
@Injectable()
export class SubjectHash {
  private readonly key: Buffer;

  constructor(config: AppConfig) {
    this.key = createHmac('sha256', config.tokenPepper).update('tollgate: subjects of decisions').digest();
  }

  /** @param value normalized by `dimensionValue` */
  of(tenantId: string, dimension: string, value: string): string {
    const text = JSON.stringify([tenantId, dimension, value]);
    return createHmac('sha256', this.key).update(text).digest().subarray(0, 16).toString('base64url');
  }

  ofAll(tenantId: string, subject: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(subject).map(([dimension, value]) => [dimension, this.of(tenantId, dimension, value)]),
    );
  }
}

export type SampleRow = DecisionSample;
export type NewSample = SampleMessage & { tenantId: string; nodeId: string };

export interface SampleFilter {
  apiKey: string | undefined;
  operation: string | undefined;
  limitName: string | undefined;
  outcome: UsageOutcome | undefined;
  /** A subject with its pseudonym. */
  subject: { dimension: string; hash: string } | undefined;
}

/** Rows per statement. */
const CHUNK = 2000;

const MAX_INT = 2_147_483_647;

/** Samples of a tenant read to show those before a decision. */
const MAX_BEFORE = 2000;

/** Ids of all tenants within about a second: nodes write their samples once a second. */
const LATER = 1000n;

@Injectable()
export class SamplesRepository {
  constructor(
    private readonly database: Database,
    private readonly subjects: SubjectHash,
  ) {}

  /** Stores decisions; skips existing ones. */
  async add(tx: Tx, samples: readonly NewSample[]): Promise<void> {
    const data = samples.map((sample) => ({
      tenantId: sample.tenantId,
      requestId: sample.requestId,
      at: new Date(sample.atMs),
      nodeId: sample.nodeId,
      api: sample.api,
      operation: sample.operation,
      limitName: sample.limit,
      outcome: outcomeOf(sample.outcome),
      reason: sample.reason,
      ruleId: sample.rule ?? null,
      cost: sample.cost,
      revision: sample.revision,
      delayMs: wholeInt(sample.delayMs),
      retryAfter: sample.retryAfter === null ? null : wholeInt(sample.retryAfter),
      subject: this.subjects.ofAll(sample.tenantId, sample.subject ?? {}),
      policies: sample.policies,
    }));
    for (let i = 0; i < data.length; i += CHUNK) {
      await tx.decisionSample.createMany({ data: data.slice(i, i + CHUNK), skipDuplicates: true });
    }
  }

  /** Newest first, with one row more than the page size if there is a next page. */
  list(tenantId: string, filter: SampleFilter, page: Page<string>): Promise<SampleRow[]> {
    const after = page.after === undefined ? {} : { id: { lt: BigInt(page.after) } };
    return this.database.client.decisionSample.findMany({
      where: { AND: [matching(tenantId, filter), after] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(tenantId: string, filter: SampleFilter): Promise<number> {
    return this.database.client.decisionSample.count({ where: matching(tenantId, filter) });
  }

  /** Samples in a time range, newest first. Those of other nodes may be stored after the sample `id`, in any order. */
  async listBefore(
    tenantId: string,
    id: bigint,
    { from, to }: { from: Date; to: Date },
  ): Promise<SampleRow[]> {
    const rows = await this.database.client.decisionSample.findMany({
      // Not by time: the index of a tenant is by id.
      where: { tenantId, id: { lte: id + LATER } },
      orderBy: { id: 'desc' },
      take: MAX_BEFORE,
    });
    return rows.filter(({ at }) => at >= from && at <= to);
  }

  /** The newest decision with this request id, in one tenant or in all. */
  findByRequest(requestId: string, tenantId: string | undefined): Promise<SampleRow | null> {
    return this.database.client.decisionSample.findFirst({
      where: { requestId, ...(tenantId === undefined ? {} : { tenantId }) },
      orderBy: { id: 'desc' },
    });
  }
}

function matching(tenantId: string, { apiKey, operation, limitName, outcome, subject }: SampleFilter) {
  return {
    tenantId,
    ...(apiKey === undefined ? {} : { api: apiKey }),
    ...(operation === undefined ? {} : { operation }),
    ...(limitName === undefined ? {} : { limitName }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(subject === undefined ? {} : { subject: { path: [subject.dimension], equals: subject.hash } }),
  };
}

function wholeInt(value: number): number {
  return Math.min(Math.round(value), MAX_INT);
}
