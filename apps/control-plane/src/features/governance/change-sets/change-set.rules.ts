import { createHash } from 'node:crypto';
import { canonicalJson } from '@tollgate/contracts/audit-chain';
import type { PendingEntry } from '../../../platform/changes/audit-trail.js';
import { userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { ChangeSetStatus } from '../../../platform/prisma/schema.js';

/** A set is applied in one transaction. */
export const MAX_ITEMS = 100;

/** The effect of one item on one object. */
export interface DiffEntry {
  /** Index of the item in its set. */
  item: number;
  action: string;
  entity: string;
  entityId: string;
  tenantKey: string | null;
  before: object | null;
  after: object | null;
  /** Fields of `after` that depend on the time of application; `entityId` if the object is always created. */
  fromNow: readonly string[];
}

export function diffOf(
  item: number,
  { action, entity, entityId, tenantKey, before, after }: PendingEntry,
  fromNow: readonly string[] = [],
): DiffEntry {
  return { item, action, entity, entityId, tenantKey: tenantKey ?? null, before, after, fromNow };
}

/** The diff without ids of created objects, which differ in every dry run. */
export function withoutNewIds(diff: readonly DiffEntry[]): DiffEntry[] {
  const isMade = ({ before, fromNow }: DiffEntry) => before === null || fromNow.includes('entityId');
  const made = new Set(diff.filter(isMade).map(({ entityId }) => entityId));
  return diff.map((entry) => (made.has(entry.entityId) ? { ...entry, entityId: '' } : entry));
}

/** Equal for diffs that change the same objects between the same values, regardless of time. */
export function digestOf(diff: readonly DiffEntry[]): string {
  const timeless = withoutNewIds(diff).map(({ fromNow, after, ...entry }) => {
    const kept = Object.entries(after ?? {}).filter(([name]) => !fromNow.includes(name));
    return { ...entry, after: after === null ? null : Object.fromEntries(kept) };
  });
  return createHash('sha256').update(canonicalJson(timeless)).digest('hex');
}

export interface FieldChange {
  path: string;
  before: unknown;
  after: unknown;
}

/** Fields with different values, by path. Lists are compared as a whole. */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before: before ?? null, after: after ?? null }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) =>
    fieldChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const { DRAFT, SUBMITTED, APPROVED, SCHEDULED, APPLIED, FAILED, REJECTED } = ChangeSetStatus;

/** Allowed statuses per step. */
const FROM = {
  edit: [DRAFT, REJECTED, FAILED],
  submit: [DRAFT, REJECTED, FAILED],
  approve: [SUBMITTED],
  reject: [SUBMITTED, APPROVED],
  schedule: [APPROVED],
  apply: [APPROVED],
  cancel: [DRAFT, SUBMITTED, APPROVED, SCHEDULED, FAILED, REJECTED],
  revert: [APPLIED],
} satisfies Record<string, ChangeSetStatus[]>;

export type Step = keyof typeof FROM;

export function findWrongStep(step: Step, status: ChangeSetStatus): UserError | undefined {
  const from: ChangeSetStatus[] = FROM[step];
  if (from.includes(status)) return undefined;
  const message = `The change set is ${status.toLowerCase()}; this needs one that is ${from.join(' or ').toLowerCase()}.`;
  return userError(UserErrorCode.INVALID, ['id'], message);
}
