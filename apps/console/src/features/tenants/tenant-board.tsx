import { Kbd, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { LinkButton } from '../../components/links.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import { plural } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import { usePermission } from '../../lib/viewer.js';
import classes from './board.module.css';
import {
  BOARD_SORTS,
  type BoardSort,
  type BoardTenant,
  type BoardView,
  tenantBoardCountQuery,
  tenantBoardQuery,
} from './board-api.js';
import { BoardRow } from './board-row.js';
import type { BoostDialogProps } from './boost-dialog.js';
import { TierFilter } from './filter-select.js';
import { useRowKeys } from './row-keys.js';

// Loaded on first use, to keep the first page small.
const BoostDialog = lazy(() => loadChunk(() => import('./boost-dialog.js')));

const PAGE = 50;
const ROW_HEIGHT = 53;
const CARD_HEIGHT = 208;
const PHONE = '(max-width: 48em)';

interface Column {
  sort?: BoardSort;
  name: string;
  className?: string | undefined;
}

const COLUMNS: readonly Column[] = [
  { sort: 'name', name: 'Tenant', className: classes.tenantCell },
  { sort: 'tier', name: 'Tier', className: `${classes.wide} ${classes.tierCell}` },
  { sort: 'utilization', name: 'Tightest limit', className: classes.limitCell },
  { name: '24 h', className: classes.sparkCell },
  { sort: 'requests', name: 'Requests', className: `${classes.wide} ${classes.number}` },
  { sort: 'denied', name: 'Denied', className: classes.number },
  { sort: 'exhaustion', name: 'Time to exhaustion', className: classes.exhaustionCell },
  { sort: 'status', name: 'Status', className: classes.wide },
];

export interface BoardSelection {
  isSelected: (key: string) => boolean;
  /** Referentially stable. */
  select: (key: string, selected: boolean) => void;
}

interface TenantBoardProps extends Pick<BoostDialogProps, 'onStarted'> {
  view: BoardView;
  onView: (view: BoardView) => void;
  /** Shows only the first rows, in fewer columns; otherwise rows load while scrolling. */
  rows?: number;
  selection?: BoardSelection;
}

/**
 * Tenants by utilization, with their tightest limit, denials, time to exhaustion and actions. Rows are virtualized; arrow
 * keys move between them.
 */
export function TenantBoard({ view, onView, rows, selection, onStarted }: TenantBoardProps) {
  const query = useInfiniteQuery({
    ...tenantBoardQuery(view, rows ?? PAGE),
    placeholderData: keepPreviousData,
  });
  const { data: tenants, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const { data: count } = useQuery({ ...tenantBoardCountQuery(view), placeholderData: keepPreviousData });
  const [boosting, setBoosting] = useState<BoardTenant>();
  const isPhone = useMediaQuery(PHONE) ?? false;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (tenants === undefined) return <QueryFallback query={query} rows={rows ?? 12} />;
  return (
    <>
      {isPhone && <SortChoice view={view} onView={onView} />}
      <table
        className={classes.board}
        aria-label="Tenants by utilization"
        aria-rowcount={(count ?? tenants.length) + 1}
        data-short={rows !== undefined || undefined}
        aria-busy={query.isPlaceholderData || undefined}
      >
        <thead>
          <tr aria-rowindex={1}>
            {selection && <td className={classes.selectCell} />}
            {COLUMNS.map((column) => (
              <SortHeader key={column.name} column={column} view={view} onView={onView} />
            ))}
            <td className={classes.actionCell} aria-label="Actions" />
          </tr>
        </thead>
        <BoardRows
          tenants={tenants}
          virtual={rows === undefined}
          rowHeight={isPhone ? CARD_HEIGHT : ROW_HEIGHT}
          onEnd={onEnd}
          selection={selection}
          onBoost={setBoosting}
        />
      </table>
      {tenants.length === 0 && <EmptyText>No tenant matches.</EmptyText>}
      <div className={classes.footer}>
        <span role="status">
          {count !== undefined && rows !== undefined && tenants.length < count && `${tenants.length} of `}
          {count !== undefined && plural(count, 'tenant')}
        </span>
        <span className={classes.keys}>
          <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> move · <Kbd size="xs">Enter</Kbd> open ·{' '}
          {selection && (
            <>
              <Kbd size="xs">X</Kbd> select ·{' '}
            </>
          )}
          <Kbd size="xs">B</Kbd> boost · <Kbd size="xs">O</Kbd> offer upgrade · <Kbd size="xs">W</Kbd> why
        </span>
        {rows !== undefined && (
          <Link to="/tenants" className={classes.all}>
            View all tenants
          </Link>
        )}
      </div>
      {boosting && (
        <Suspense fallback={null}>
          <BoostDialog
            row={boosting}
            onClose={() => setBoosting(undefined)}
            onStarted={(changeId, title) => {
              setBoosting(undefined);
              onStarted(changeId, title);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

interface BoardRowsProps {
  tenants: readonly BoardTenant[];
  /** Draws only the rows in view, and calls `onEnd` near the last one. */
  virtual: boolean;
  rowHeight: number;
  onEnd: () => void;
  selection: BoardSelection | undefined;
  onBoost: (tenant: BoardTenant) => void;
}

/** The rows; the only part that is drawn again while scrolling. */
function BoardRows({ tenants, virtual, rowHeight, onEnd, selection, onBoost }: BoardRowsProps) {
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
  const virtualizer = useWindowVirtualizer({
    count: tenants.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin,
    enabled: virtual,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const shown = virtual ? items.map(({ index }) => index) : tenants.map((_, index) => index);
  const isNearEnd = virtual && (last?.index ?? 0) >= tenants.length - PAGE / 2;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  const { active, onKeyDown, onFocus } = useRowKeys(tenants, {
    onBoost: (tenant) => allowed && tenant.tightest && onBoost(tenant),
    onSelect: selection && (({ tenant }) => selection.select(tenant.key, !selection.isSelected(tenant.key))),
    reveal: (index) => {
      if (virtual) virtualizer.scrollToIndex(index, { align: 'auto' });
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus(),
      );
    },
  });
  return (
    <tbody ref={body} onKeyDown={onKeyDown} onFocus={onFocus}>
      {virtual && <Gap height={(first?.start ?? scrollMargin) - scrollMargin} />}
      {shown.map((index) => {
        const tenant = tenants[index];
        return tenant === undefined ? null : (
          <BoardRow
            key={tenant.tenant.id}
            row={tenant}
            index={index}
            isActive={index === active}
            isSelected={selection?.isSelected(tenant.tenant.key)}
            onSelect={selection?.select}
            onBoost={onBoost}
            mayBoost={allowed}
            why={why}
          />
        );
      })}
      {virtual && <Gap height={virtualizer.getTotalSize() - (last?.end ?? scrollMargin) + scrollMargin} />}
    </tbody>
  );
}

const HOME_ROWS = 12;
const PHONE_ROWS = 5;

/** The tenants closest to a limit, for Home. */
export function TenantBoardPanel({ onStarted }: Pick<BoostDialogProps, 'onStarted'>) {
  const [view, setView] = useState<BoardView>({});
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  return (
    <Panel
      title="Tenants by utilization"
      note="Busiest window of the last hour for rates, current period for quotas"
      actions={
        <>
          <TierFilter view={view} onView={setView} loadOnFocus />
          <LinkButton to="/tenants" variant="default">
            View all
          </LinkButton>
        </>
      }
      flush
    >
      <TenantBoard
        view={view}
        onView={setView}
        rows={isPhone ? PHONE_ROWS : HOME_ROWS}
        onStarted={onStarted}
      />
    </Panel>
  );
}

interface SortProps {
  view: BoardView;
  onView: (view: BoardView) => void;
}

function SortHeader({ column, view, onView }: SortProps & { column: Column }) {
  const { name, sort, className } = column;
  if (sort === undefined)
    return (
      <th scope="col" className={className}>
        {name}
      </th>
    );
  const isSorted = (view.sort ?? 'utilization') === sort;
  const isDescending = BOARD_SORTS[sort].descending !== (isSorted && view.reverse === true);
  const Icon = isDescending ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className={classes.sort}
        data-sorted={isSorted || undefined}
        onClick={() =>
          onView({
            ...view,
            sort: sort === 'utilization' ? undefined : sort,
            reverse: isSorted && !view.reverse ? true : undefined,
          })
        }
      >
        {name}
        <Icon size={12} aria-hidden className={classes.sortIcon} />
      </button>
    </th>
  );
}

/** The order on a phone, which shows no column headers. */
function SortChoice({ view, onView }: SortProps) {
  return (
    <div className={classes.sortChoice}>
      <Select
        aria-label="Sort by"
        size="xs"
        data={COLUMNS.flatMap(({ sort, name }) =>
          sort ? [{ value: sort, label: `Sort: ${name.toLowerCase()}` }] : [],
        )}
        value={view.sort ?? 'utilization'}
        allowDeselect={false}
        onChange={(sort) =>
          onView({
            ...view,
            sort: sort === 'utilization' ? undefined : (sort as BoardSort),
            reverse: undefined,
          })
        }
      />
    </div>
  );
}

/** As tall as the rows outside the viewport. */
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={COLUMNS.length + 2} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
