import {
  type LimitPolicy,
  limitPolicySchema,
  policyFields,
  type Rule,
  storagesOf,
} from '@tollgate/contracts';
import { useMemo, useReducer, useState } from 'react';
import type { UserErrorInfo } from '../../lib/graphql-request.js';
import { diffLimits, identityOf } from '../../lib/limit-diff.js';
import { withRule } from '../../lib/limit-fields.js';
import { formError } from '../../lib/limit-text.js';
import { formatAmount } from '../../lib/rate.js';
import type { ApiChoice, LintFinding } from './api.js';

export interface EditableLimit {
  policy: LimitPolicy;
  summary: string | undefined;
}

/** A limit under edit. `rowId` is stable while name and API change. */
export interface LimitRow extends EditableLimit {
  rowId: number;
}

export interface LimitEdits {
  rows: readonly LimitRow[];
  nextRowId: number;
}

export type LimitEditAction =
  | { type: 'load'; limits: readonly EditableLimit[] }
  | { type: 'change'; rowId: number; policy: LimitPolicy }
  | { type: 'add'; policy: LimitPolicy }
  | { type: 'remove'; rowId: number };

export const NO_EDITS: LimitEdits = { rows: [], nextRowId: 1 };

export function reduceLimitEdits(edits: LimitEdits, action: LimitEditAction): LimitEdits {
  switch (action.type) {
    case 'load':
      return {
        rows: action.limits.map(({ policy, summary }, i) => ({ rowId: i + 1, policy, summary })),
        nextRowId: action.limits.length + 1,
      };
    case 'change':
      return {
        ...edits,
        rows: edits.rows.map((row) =>
          row.rowId === action.rowId ? { ...row, policy: action.policy, summary: undefined } : row,
        ),
      };
    case 'add':
      return {
        rows: [...edits.rows, { rowId: edits.nextRowId, policy: action.policy, summary: undefined }],
        nextRowId: edits.nextRowId + 1,
      };
    case 'remove':
      return { ...edits, rows: edits.rows.filter((row) => row.rowId !== action.rowId) };
  }
}

/**
 * The limit with the rule of its candidate. Throttle and leases are left out, because candidates are counted without them.
 * @returns the limit itself without a candidate
 */
export function promoteCandidate(limit: LimitPolicy): LimitPolicy {
  const { candidate } = limit;
  if (candidate === undefined) return limit;
  const left: readonly string[] = ['candidate', 'throttle', 'consistency'];
  const kept = Object.entries(limit).filter(([name]) => name in policyFields && !left.includes(name));
  return withRule({ ...Object.fromEntries(kept), ...candidate } as LimitPolicy, candidate);
}

/** Errors of one limit by field path: `limit`, `throttle.percent`, `candidate.windowMs`; `row` for the whole limit. */
export type RowErrors = Readonly<Record<string, string>>;

/** Validates rows without the server. Returns errors by `rowId`; valid rows have no entry. */
export function checkRows(rows: readonly LimitRow[]): Map<number, RowErrors> {
  const errors = new Map<number, RowErrors>();
  const seen = new Set<string>();
  for (const { rowId, policy } of rows) {
    const found = checkPolicy(policy);
    const identity = identityOf(policy);
    if (seen.has(identity)) found.name ??= `${policy.api} has another limit named ${policy.name}`;
    seen.add(identity);
    if (Object.keys(found).length > 0) errors.set(rowId, found);
  }
  return errors;
}

/**
 * Assigns server errors to fields. Paths look like `limits.2.throttle.percent`; errors without a row are returned as
 * `form`.
 */
export function assignUserErrors(
  rows: readonly LimitRow[],
  userErrors: readonly UserErrorInfo[],
): { byRow: Map<number, RowErrors>; form: string[] } {
  const byRow = new Map<number, RowErrors>();
  const form: string[] = [];
  for (const { field, message } of userErrors) {
    const at = field?.indexOf('limits') ?? -1;
    const row = at >= 0 ? rows[Number(field?.[at + 1])] : undefined;
    if (!row) {
      form.push(message);
      continue;
    }
    const position = positionOf(row.policy, field?.slice(at + 2) ?? []);
    byRow.set(row.rowId, { ...byRow.get(row.rowId), [position]: formError(message, position) });
  }
  return { byRow, form };
}

function checkPolicy(policy: LimitPolicy): Record<string, string> {
  const errors: Record<string, string> = {};
  if (policy.throttle?.mode === 'elastic' && policy.throttle.pool === '') {
    errors['throttle.pool'] = 'Select a pool to borrow from';
  }
  for (const issue of limitPolicySchema.safeParse(policy).error?.issues ?? []) {
    const position = positionOf(policy, issue.path.map(String));
    errors[position] ??= formError(issue.message, position);
  }
  return errors;
}

/** The form field of a path; `row` if the limit has no such field. */
function positionOf(policy: LimitPolicy, path: readonly string[]): string {
  const [head = '', next] = path[0] === 'apiKey' ? ['api'] : path;
  if (head === 'throttle' || head === 'enforcement' || head === 'consistency') {
    return next !== undefined && next in (policy[head] ?? {}) ? `${head}.${next}` : `${head}.mode`;
  }
  if (head === 'candidate') {
    return next !== undefined && next in (policy.candidate ?? {})
      ? `candidate.${next}`
      : 'candidate.algorithm';
  }
  if (head === 'penalty' || head === 'warmUp') return next === undefined ? head : `${head}.${next}`;
  if (head === 'storage') return storagesOf(policy.algorithm).length > 1 ? head : 'row';
  return head in policy || head === 'charge' ? head : 'row';
}

/** The operations that the next limit of an API is likely for: the first one without a limit, or all. */
export function nextOperations(api: ApiChoice | undefined, existing: readonly LimitPolicy[]): string[] {
  const covered = new Set(
    existing.filter((limit) => limit.api === api?.key).flatMap((limit) => limit.operations),
  );
  const next = api?.operations.find(({ name }) => !covered.has(name));
  return next ? [next.name] : [];
}

/** `create-url-min` for 100/min of createURL; numbered if another limit of the API has that name. */
export function limitNameOf(
  { api, operations }: Pick<LimitPolicy, 'api' | 'operations'>,
  rule: Rule,
  existing: readonly LimitPolicy[],
): string {
  const window = formatAmount({ ...rule, limit: Math.max(1, rule.limit) }).replace(
    /^\S*?[/ ]|\s*period$/g,
    '',
  );
  return freeName(api, `${slugOf(operations.join('-') || 'all')}-${slugOf(window)}`, existing);
}

/** `createURL` to `create-url`: allowed characters of a limit name. */
export function slugOf(operation: string): string {
  return operation
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 34)
    .replace(/-+$/, '');
}

function freeName(apiKey: string, wanted: string, existing: readonly LimitPolicy[]): string {
  const taken = new Set(existing.map(identityOf));
  let name = wanted;
  for (let i = 2; taken.has(identityOf({ api: apiKey, name })); i++) name = `${wanted}-${i}`;
  return name;
}

/**
 * Reapplies edits made on `oldBase` to `newBase`: edited limits stay as edited, all others are taken from `newBase`.
 * A limit removed on one side and unchanged on the other stays removed.
 */
export function rebaseLimits(
  edited: readonly LimitPolicy[],
  oldBase: readonly LimitPolicy[],
  newBase: readonly LimitPolicy[],
): LimitPolicy[] {
  const touched = new Set(diffLimits(oldBase, edited).map(identityOf));
  const editedByIdentity = new Map(edited.map((limit) => [identityOf(limit), limit]));
  const present = new Set(newBase.map(identityOf));
  const kept = newBase.flatMap((limit) => {
    if (!touched.has(identityOf(limit))) return [limit];
    const mine = editedByIdentity.get(identityOf(limit));
    return mine ? [mine] : [];
  });
  const added = edited.filter((limit) => touched.has(identityOf(limit)) && !present.has(identityOf(limit)));
  return [...kept, ...added];
}

/** Groups findings by limit. @param limits of the version, in its order */
export function groupFindings(
  findings: readonly LintFinding[],
  limits: readonly LimitPolicy[],
): { byLimit: Map<string, LintFinding[]>; others: LintFinding[] } {
  const byLimit = new Map<string, LintFinding[]>();
  const others: LintFinding[] = [];
  for (const finding of findings) {
    const [kind, index] = finding.path;
    const limit = kind === 'limits' ? limits[Number(index)] : undefined;
    if (!limit) others.push(finding);
    else byLimit.set(identityOf(limit), [...(byLimit.get(identityOf(limit)) ?? []), finding]);
  }
  return { byLimit, others };
}

/** ID of the input of a field, for error messages that link to it. */
export const fieldId = (rowId: number, path: string): string =>
  `limit-${rowId}-${path.replace(/windowMs$/, 'limit')}`;

/** An error and the ID of the input that it belongs to. */
export interface FieldProblem {
  id: string;
  text: string;
}

/** Limits under edit: rows and their errors. */
export function useLimitEdits(limits: readonly EditableLimit[]) {
  const [{ rows }, dispatch] = useReducer(reduceLimitEdits, NO_EDITS, (none) =>
    reduceLimitEdits(none, { type: 'load', limits }),
  );
  const [serverErrors, setServerErrors] = useState<ReadonlyMap<number, RowErrors>>(new Map());
  /** Messages of inputs whose text cannot be parsed, by ID. */
  const [unreadable, setUnreadable] = useState<ReadonlyMap<string, string>>(new Map());
  const policies = useMemo(() => rows.map(({ policy }) => policy), [rows]);
  const errors = checkRows(rows);
  for (const [rowId, found] of serverErrors) errors.set(rowId, { ...errors.get(rowId), ...found });
  const problems = rows.flatMap(({ rowId, policy }) => {
    const found = new Map(
      Object.entries(errors.get(rowId) ?? {}).map(([path, text]) => [fieldId(rowId, path), text]),
    );
    for (const [id, text] of unreadable) if (id.startsWith(fieldId(rowId, ''))) found.set(id, text);
    return [...found].map(([id, text]): FieldProblem => ({ id, text: `${policy.name}: ${text}` }));
  });
  const change = (action: LimitEditAction) => {
    setServerErrors(new Map());
    dispatch(action);
  };
  return {
    rows,
    policies,
    errors,
    /** Every error, with the ID of its input. */
    problems,
    dispatch: change,
    load: (next: readonly EditableLimit[]) => {
      change({ type: 'load', limits: next });
      setUnreadable(new Map());
    },
    /** Shows the server's errors at their rows; returns whether any belongs to a row. */
    assign: (userErrors: readonly UserErrorInfo[]): boolean => {
      const { byRow } = assignUserErrors(rows, userErrors);
      setServerErrors(byRow);
      return byRow.size > 0;
    },
    setProblem: (id: string, message: string | undefined) => {
      setUnreadable((known) => {
        if (known.get(id) === message) return known;
        const next = new Map(known);
        if (message === undefined) next.delete(id);
        else next.set(id, message);
        return next;
      });
    },
  };
}
