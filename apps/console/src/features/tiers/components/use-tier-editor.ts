import type { LimitPolicy } from '@tollgate/contracts';
import { useEffect, useMemo, useReducer, useState } from 'react';
import { ownLimitsOf, ownPoliciesOf, type TierDetail } from '../api/tier.js';
import { diffLimits, type LimitChange } from '../limit-diff.js';
import {
  checkRows,
  type EditableLimit,
  type LimitEditAction,
  type LimitEdits,
  NO_EDITS,
  type RowErrors,
  reduceLimitEdits,
} from '../limit-edits.js';
import { rebaseLimits } from '../limit-rebase.js';
import type { TypedInput } from './limit-row-item.js';

const INPUTS: readonly TypedInput[] = ['rate', 'candidate'];

/** What the edits were made on. */
interface EditBase {
  version: number;
  limits: readonly LimitPolicy[];
}

export interface TierEditor {
  edits: LimitEdits;
  dispatch: (action: LimitEditAction) => void;
  base: EditBase;
  /** Rows up to this id came from the server. */
  lastStoredRowId: number;
  changes: LimitChange[];
  /** What is wrong with rows, found here and by the server. */
  errors: Map<number, RowErrors>;
  setServerErrors: (errors: Map<number, RowErrors>) => void;
  setReadable: (rowId: number, input: TypedInput, readable: boolean) => void;
  /** No row holds text that cannot be read, or a value that cannot be stored. */
  sound: boolean;
  /** What somebody else changed in the meantime; undefined while the edits are on the newest version. */
  theirChanges: LimitChange[] | undefined;
  /** The edits are what the draft holds: leaving loses nothing. */
  savedAsDraft: boolean;
  resumeDraft: () => void;
  /** Takes these limits as edits, such as those of an earlier version. */
  take: (limits: readonly EditableLimit[]) => void;
  reload: () => void;
  keepOnTop: () => void;
}

/** A tier's limits under edit. While nothing is edited it follows the server; edits are never dropped silently. */
export function useTierEditor(tier: TierDetail): TierEditor {
  const stored = useMemo(() => ownLimitsOf(tier.published), [tier]);
  const published = useMemo(() => ownPoliciesOf(tier.published), [tier]);
  const [base, setBase] = useState<EditBase>(() => ({ version: tier.version, limits: published }));
  const [edits, dispatch] = useReducer(reduceLimitEdits, NO_EDITS, (none) =>
    reduceLimitEdits(none, { type: 'load', limits: stored }),
  );
  const [lastStoredRowId, setLastStoredRowId] = useState(published.length);
  const [serverErrors, setServerErrors] = useState(() => new Map<number, RowErrors>());
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  const mine = useMemo(() => edits.rows.map(({ policy }) => policy), [edits.rows]);
  const changes = useMemo(() => diffLimits(base.limits, mine), [base, mine]);

  const load = (limits: readonly EditableLimit[]) => {
    dispatch({ type: 'load', limits });
    setLastStoredRowId(limits.length);
    setServerErrors(new Map());
    setUnreadable(new Set());
  };
  const follow = () => setBase({ version: tier.version, limits: published });
  const reload = () => {
    follow();
    load(stored);
  };

  const outdated = tier.version !== base.version;
  const nothingLost = changes.length === 0 || diffLimits(published, mine).length === 0;
  const onlyMyDraft =
    diffLimits(base.limits, published).length === 0 &&
    (!tier.draft || diffLimits(ownPoliciesOf(tier.draft), mine).length === 0);
  // To be decided once for each version that arrives.
  useEffect(() => {
    if (!outdated) return;
    if (nothingLost) reload();
    else if (onlyMyDraft) follow();
  }, [tier.version]);

  const errors = mergeErrors(checkRows(edits.rows), serverErrors);
  return {
    edits,
    dispatch: (action) => {
      if (serverErrors.size > 0) setServerErrors(new Map());
      dispatch(action);
    },
    base,
    lastStoredRowId,
    changes,
    errors,
    setServerErrors,
    setReadable: (rowId, input, readable) =>
      setUnreadable((inputs) => withMember(inputs, `${rowId} ${input}`, !readable)),
    sound:
      errors.size === 0 &&
      !edits.rows.some(({ rowId }) => INPUTS.some((input) => unreadable.has(`${rowId} ${input}`))),
    theirChanges:
      outdated && !nothingLost && !onlyMyDraft ? diffLimits(base.limits, theirLimits(tier, base)) : undefined,
    savedAsDraft: tier.draft != null && diffLimits(ownPoliciesOf(tier.draft), mine).length === 0,
    resumeDraft: () => tier.draft && load(ownLimitsOf(tier.draft)),
    take: load,
    reload,
    keepOnTop: () => {
      const rebased = rebaseLimits(mine, base.limits, published);
      follow();
      load(rebased.map((policy) => ({ policy, summary: summaryOf(policy, stored) })));
    },
  };
}

/** What somebody else published; when that is nothing new, what they saved as a draft. */
function theirLimits(tier: TierDetail, base: EditBase): readonly LimitPolicy[] {
  const published = ownPoliciesOf(tier.published);
  if (diffLimits(base.limits, published).length > 0 || !tier.draft) return published;
  return ownPoliciesOf(tier.draft);
}

function summaryOf(policy: LimitPolicy, stored: readonly EditableLimit[]): string | undefined {
  const same = stored.find((other) => diffLimits([other.policy], [policy]).length === 0);
  return same?.summary;
}

function mergeErrors(...sources: ReadonlyArray<ReadonlyMap<number, RowErrors>>): Map<number, RowErrors> {
  const merged = new Map<number, RowErrors>();
  for (const source of sources) {
    for (const [rowId, errors] of source) merged.set(rowId, { ...merged.get(rowId), ...errors });
  }
  return merged;
}

function withMember(members: ReadonlySet<string>, member: string, present: boolean): ReadonlySet<string> {
  if (members.has(member) === present) return members;
  const next = new Set(members);
  if (present) next.add(member);
  else next.delete(member);
  return next;
}
