import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import type { BoardTenant } from './board-api.js';

interface RowKeys {
  onBoost: (tenant: BoardTenant) => unknown;
  onSelect?: ((tenant: BoardTenant) => void) | undefined;
  /** Scrolls a row into view and focuses it. */
  reveal: (index: number) => void;
}

/** One row is in the tab order; keys move to others and act on it. Clicked links open without loading the page again. */
export function useRowKeys(tenants: readonly BoardTenant[], { onBoost, onSelect, reveal }: RowKeys) {
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const { length } = tenants;
  const indexOf = (target: EventTarget) =>
    Number((target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index ?? -1);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const index = indexOf(event.target);
    const tenant = tenants[index];
    if (tenant === undefined) return;
    const params = { tenantKey: tenant.tenant.key };
    const move = (to: number) => reveal(Math.min(Math.max(to, 0), length - 1));
    const actions: Record<string, () => unknown> = {
      ArrowDown: () => move(index + 1),
      j: () => move(index + 1),
      ArrowUp: () => move(index - 1),
      k: () => move(index - 1),
      Home: () => move(0),
      End: () => move(length - 1),
      b: () => onBoost(tenant),
      o: () => navigate({ to: '/portal/$tenantKey/buy', params }),
      w: () => navigate({ to: '/why', search: { q: tenant.tenant.key } }),
      ...(onSelect && { x: () => onSelect(tenant) }),
      // On a button or link, Enter activates it.
      ...(event.target === event.currentTarget.querySelector(`[data-index="${index}"]`) && {
        Enter: () => navigate({ to: '/tenants/$tenantKey', params }),
      }),
    };
    const act = actions[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return {
    active: Math.min(active, Math.max(0, length - 1)),
    onKeyDown,
    onFocus: (event: { target: EventTarget }) => {
      const index = indexOf(event.target);
      if (index >= 0) setActive(index);
    },
    onClick: (event: MouseEvent) => {
      const href = (event.target as Element).closest('a')?.getAttribute('href');
      if (href == null || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      void navigate({ href });
    },
  };
}
