import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { usePermission } from '../../lib/viewer.js';
import type { BoardTenant } from './board-api.js';
import { BoardRow } from './board-row.js';
import { useRowKeys } from './row-keys.js';

/** Rows loaded at once. */
export const PAGE = 50;

const ROW_HEIGHT = 53;
const CARD_HEIGHT = 208;

/** Rows drawn outside of the viewport, on each side. */
const OVERSCAN = 3;

export interface BoardSelection {
  isSelected: (key: string) => boolean;
  /** Referentially stable. */
  select: (key: string, selected: boolean) => void;
}

interface BoardRowsProps {
  tenants: readonly BoardTenant[];
  /** Draws all rows with fewer columns; otherwise only those in view, and calls `onEnd` near the last one. */
  short: boolean;
  /** Draws cards. */
  isPhone: boolean;
  onEnd: () => void;
  selection: BoardSelection | undefined;
  onBoost: (tenant: BoardTenant) => void;
}

/** The rows; the only part that is drawn again while scrolling. */
export function BoardRows({ tenants, short, isPhone, onEnd, selection, onBoost }: BoardRowsProps) {
  const { allowed, why } = usePermission('boosts:write');
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useEffect(() => {
    // Panels above the table load later and move it.
    const observer = new ResizeObserver(() =>
      setScrollMargin(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)),
    );
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const rowHeight = isPhone ? CARD_HEIGHT : ROW_HEIGHT;
  const virtualizer = useWindowVirtualizer({
    count: tenants.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin,
    enabled: !short,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const shown = short ? tenants.map((_, index) => index) : items.map(({ index }) => index);
  const isNearEnd = !short && (last?.index ?? 0) >= tenants.length - PAGE / 2;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  const { active, ...handlers } = useRowKeys(tenants, {
    onBoost: (tenant) => allowed && tenant.tightest && onBoost(tenant),
    onSelect: selection && (({ tenant }) => selection.select(tenant.key, !selection.isSelected(tenant.key))),
    reveal: (index) => {
      if (!short) virtualizer.scrollToIndex(index, { align: 'auto' });
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus(),
      );
    },
  });
  return (
    <tbody ref={body} {...handlers}>
      {!short && <Gap height={(first?.start ?? scrollMargin) - scrollMargin} />}
      {shown.map((index) => {
        const tenant = tenants[index];
        return tenant === undefined ? null : (
          <BoardRow
            key={tenant.tenant.id}
            row={tenant}
            index={index}
            short={short}
            isPhone={isPhone}
            isActive={index === active}
            isSelected={selection?.isSelected(tenant.tenant.key)}
            onSelect={selection?.select}
            onBoost={onBoost}
            mayBoost={allowed}
            why={why}
          />
        );
      })}
      {!short && <Gap height={virtualizer.getTotalSize() - (last?.end ?? scrollMargin) + scrollMargin} />}
    </tbody>
  );
}

/** As tall as the rows outside the viewport. */
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : <tr style={{ height }} />;
}
