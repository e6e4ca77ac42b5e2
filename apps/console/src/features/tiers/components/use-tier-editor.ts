import { useEffect, useMemo, useReducer, useState } from 'react';
import type { LimitSpec } from '../../../lib/limit-spec.js';
import type { TierDetail } from '../api/tier.js';
import { diffLimits, type LimitChange } from '../limit-diff.js';
import {
  checkRows,
  type LimitEditAction,
  type LimitEdits,
  NO_EDITS,
  type RowErrors,
  reduceLimitEdits,
  type StoredLimit,
  toSpec,
} from '../limit-edits.js';
import { rebaseLimits } from '../limit-rebase.js';

/** What the edits were made on. */
interface EditBase {
  version: number;
  limits: readonly StoredLimit[];
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
  setReadable: (rowId: number, readable: boolean) => void;
  /** No row holds text that cannot be read, or a value that cannot be stored. */
  sound: boolean;
  /** What somebody else changed in the meantime; undefined while the edits are on the newest version. */
  theirChanges: LimitChange[] | undefined;
  resumeDraft: () => void;
  reload: () => void;
  keepOnTop: () => void;
}

/** A tier's limits under edit. While nothing is edited it follows the server; edits are never dropped silently. */
export function useTierEditor(tier: TierDetail): TierEditor {
  const published = useMemo(() => tier.published?.limits ?? [], [tier]);
  const [base, setBase] = useState<EditBase>(() => ({ version: tier.version, limits: published }));
  const [edits, dispatch] = useReducer(reduceLimitEdits, NO_EDITS, (none) =>
    reduceLimitEdits(none, { type: 'load', limits: published }),
  );
  const [lastStoredRowId, setLastStoredRowId] = useState(published.length);
  const [serverErrors, setServerErrors] = useState(() => new Map<number, RowErrors>());
  const [unreadable, setUnreadable] = useState<ReadonlySet<number>>(new Set());
  const changes = useMemo(() => diffLimits(base.limits, edits.rows), [base, edits.rows]);

  const load = (limits: readonly StoredLimit[]) => {
    dispatch({ type: 'load', limits });
    setLastStoredRowId(limits.length);
    setServerErrors(new Map());
    setUnreadable(new Set());
  };
  const follow = () => setBase({ version: tier.version, limits: published });
  const reload = () => {
    follow();
    load(published);
  };

  const outdated = tier.version !== base.version;
  const mine = edits.rows.map(toSpec);
  const nothingLost = changes.length === 0 || diffLimits(published, mine).length === 0;
  const onlyMyDraft =
    diffLimits(base.limits, published).length === 0 &&
    (!tier.draft || diffLimits(tier.draft.limits, mine).length === 0);
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
    setReadable: (rowId, readable) => setUnreadable((rows) => withMember(rows, rowId, !readable)),
    sound:
      errors.size === 0 && ![...unreadable].some((rowId) => edits.rows.some((row) => row.rowId === rowId)),
    theirChanges:
      outdated && !nothingLost && !onlyMyDraft ? diffLimits(base.limits, theirLimits(tier, base)) : undefined,
    resumeDraft: () => tier.draft && load(tier.draft.limits),
    reload,
    keepOnTop: () => {
      const rebased = rebaseLimits(mine, base.limits, published.map(toSpec));
      follow();
      load(rebased.map((limit) => ({ ...limit, summary: summaryOf(limit, published) })));
    },
  };
}

/** What somebody else published; when that is nothing new, what they saved as a draft. */
function theirLimits(tier: TierDetail, base: EditBase): readonly LimitSpec[] {
  const published = tier.published?.limits ?? [];
  return diffLimits(base.limits, published).length > 0 ? published : (tier.draft?.limits ?? published);
}

function summaryOf(limit: LimitSpec, stored: readonly StoredLimit[]): string | undefined {
  const same = stored.find((other) => diffLimits([other], [limit]).length === 0);
  return same?.summary;
}

function mergeErrors(...sources: ReadonlyArray<ReadonlyMap<number, RowErrors>>): Map<number, RowErrors> {
  const merged = new Map<number, RowErrors>();
  for (const source of sources) {
    for (const [rowId, errors] of source) merged.set(rowId, { ...merged.get(rowId), ...errors });
  }
  return merged;
}

function withMember(members: ReadonlySet<number>, member: number, present: boolean): ReadonlySet<number> {
  if (members.has(member) === present) return members;
  const next = new Set(members);
  if (present) next.add(member);
  else next.delete(member);
  return next;
}
