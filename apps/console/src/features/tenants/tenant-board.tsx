import { Button, Kbd, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { LinkButton } from '../../components/links.js';
import { EmptyText, Panel, QueryFallback } from '../../components/page.js';
import { plural } from '../../lib/number-format.js';
import { loadChunk } from '../../lib/query-client.js';
import classes from './board.module.css';
import {
  BOARD_SORTS,
  type BoardSort,
  type BoardTenant,
  type BoardView,
  tenantBoardCountQuery,
  tenantBoardQuery,
} from './board-api.js';
import { BoardRows, type BoardSelection, PAGE } from './board-rows.js';
import type { BoostDialogProps } from './boost-dialog.js';
import { TierFilter } from './filter-select.js';

// Loaded on first use, to keep the first page small.
const BoostDialog = lazy(() => loadChunk(() => import('./boost-dialog.js')));

const usePhone = () => useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });

interface Column {
  sort?: BoardSort;
  name: string;
  className?: string | undefined;
  /** Left out of a board of few rows. */
  isExtra?: true;
}

const COLUMNS: readonly Column[] = [
  { sort: 'name', name: 'Tenant', className: classes.tenantCell },
  { sort: 'tier', name: 'Tier', className: `${classes.wide} ${classes.tierCell}`, isExtra: true },
  { sort: 'utilization', name: 'Tightest limit', className: classes.limitCell },
  { name: '24 h', className: classes.sparkCell },
  { sort: 'requests', name: 'Requests', className: `${classes.wide} ${classes.number}`, isExtra: true },
  { sort: 'denied', name: 'Denied', className: classes.number },
  { sort: 'exhaustion', name: 'Time to exhaustion', className: classes.exhaustionCell },
  { sort: 'status', name: 'Status', className: classes.wide, isExtra: true },
];

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
  const isPhone = usePhone() === true;
  const short = rows !== undefined;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (tenants === undefined) return <QueryFallback query={query} rows={rows ?? 12} />;
  return (
    <>
      {isPhone && <SortChoice view={view} onView={onView} />}
      <div className={classes.boardFrame}>
        <table
          className={classes.board}
          aria-label="Tenants by utilization"
          aria-rowcount={(count ?? tenants.length) + 1}
          data-short={short || undefined}
          aria-busy={query.isPlaceholderData || undefined}
        >
          <thead>
            <tr aria-rowindex={1}>
              {selection && <td className={classes.selectCell} />}
              {COLUMNS.filter(({ isExtra }) => !short || !isExtra).map((column) => (
                <SortHeader key={column.name} column={column} view={view} onView={onView} />
              ))}
              <td className={classes.actionCell} aria-label="Actions" />
            </tr>
          </thead>
          <BoardRows
            tenants={tenants}
            short={short}
            isPhone={isPhone}
            onEnd={onEnd}
            selection={selection}
            onBoost={setBoosting}
          />
        </table>
      </div>
      {tenants.length === 0 && <EmptyText>No tenant matches.</EmptyText>}
      <div className={classes.footer}>
        <span role="status">
          {count !== undefined && short && tenants.length < count && `${tenants.length} of `}
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
        {short && (
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

const HOME_ROWS = 12;
const PHONE_ROWS = 5;

/** The tenants closest to a limit, for Home. */
export function TenantBoardPanel({ onStarted }: Pick<BoostDialogProps, 'onStarted'>) {
  const [view, setView] = useState<BoardView>({});
  const isPhone = usePhone();
  const quotasFirst = view.sort === 'exhaustion' && !view.reverse;
  return (
    <Panel
      title="Tenants by utilization"
      note="Busiest window of the last hour; for quotas, this period"
      actions={
        <>
          <Button
            variant={quotasFirst ? 'light' : 'default'}
            aria-pressed={quotasFirst}
            onClick={() =>
              setView({ ...view, sort: quotasFirst ? undefined : 'exhaustion', reverse: undefined })
            }
          >
            Quotas running out
          </Button>
          <TierFilter view={view} onView={setView} loadOnFocus />
          {!isPhone && (
            <LinkButton to="/tenants" variant="default">
              View all
            </LinkButton>
          )}
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
