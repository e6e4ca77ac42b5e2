import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { DecisionSample as SampleMessage } from '@tollgate/contracts';
import type { DecisionSample } from '@tollgate/database';
import { AppConfig } from '../../../config/app-config.js';
import type { Page } from '../../../platform/graphql/paging.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { UsageOutcome } from '../../../platform/prisma/schema.js';
import { outcomeOf } from '../ingest/series-ids.js';

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

/** Queries on sampled decisions. */
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
