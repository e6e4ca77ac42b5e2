import type { LimitPolicy } from '@tollgate/contracts';
import type { Algorithm, Alignment, LimitRow, OnUnavailable } from '../../platform/prisma/schema.js';

/** A limit as the database keeps it, with its API's key and plain numbers: every one of them is below 2^53. */
export interface LimitRecord {
  id: string;
  tierVersionId: string;
  name: string;
  apiKey: string;
  operations: string[];
  per: string[];
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  burst: number | null;
  alignment: Alignment | null;
  onUnavailable: OnUnavailable;
}

export function toLimitRecord(row: LimitRow & { api: { key: string } }): LimitRecord {
  return {
    id: row.id,
    tierVersionId: row.tierVersionId,
    name: row.name,
    apiKey: row.api.key,
    operations: row.operations,
    per: row.per,
    algorithm: row.algorithm,
    limit: Number(row.limitMax),
    windowMs: Number(row.windowMs),
    burst: row.burst === null ? null : Number(row.burst),
    alignment: row.alignment,
    onUnavailable: row.onUnavailable,
  };
}

/** The limit as nodes, summaries and counters read it. */
export function policyOf(record: LimitRecord): LimitPolicy {
  const common = {
    name: record.name,
    api: record.apiKey,
    operations: record.operations,
    per: record.per,
    limit: record.limit,
    windowMs: record.windowMs,
    onUnavailable: record.onUnavailable.toLowerCase() as Lowercase<OnUnavailable>,
  };
  return record.algorithm === 'GCRA'
    ? { ...common, algorithm: 'gcra', burst: record.burst ?? 0 }
    : {
        ...common,
        algorithm: 'fixed_window',
        alignment: (record.alignment ?? 'CLOCK').toLowerCase() as Lowercase<Alignment>,
      };
}
