import { useCallback, useEffect, useState } from 'react';

export interface TenantSelection {
  /** Keys of the selected tenants, or `all` that match the filter. */
  chosen: ReadonlySet<string> | 'all';
  isSelected: (key: string) => boolean;
  /** Referentially stable. */
  select: (key: string, selected: boolean) => void;
  selectAll: () => void;
  clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();

/** Selected tenants; resets when the filter changes. */
export function useSelection(filter: string): TenantSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string> | 'all'>(NONE);
  useEffect(() => setChosen(NONE), [filter]);
  const select = useCallback(
    (key: string, selected: boolean) =>
      setChosen((now) => {
        const next = new Set(now === 'all' ? NONE : now);
        if (selected) next.add(key);
        else next.delete(key);
        return next;
      }),
    [],
  );
  return {
    chosen,
    isSelected: (key) => chosen === 'all' || chosen.has(key),
    select,
    selectAll: () => setChosen('all'),
    clear: () => setChosen(NONE),
  };
}
