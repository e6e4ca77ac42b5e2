import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import type { TenantStatus } from '../../generated/graphql.js';
import { useInputMutation, useMutationDialog } from '../../lib/mutation.js';
import classes from './board.module.css';
import {
  type BoardSearch,
  type BoardView,
  isFiltered,
  SavedViewRemoveDocument,
  SavedViewSetDocument,
  savedViewsQuery,
  tenantBoardCountQuery,
} from './board-api.js';
import { FilterSelect, TierFilter } from './filter-select.js';
import { TENANT_STATUS_TEXT } from './utilization-cells.js';

const OVER_PERCENT = 80;

interface TenantFiltersProps {
  view: BoardView;
  onView: (view: BoardView) => void;
}

/** The filters of the tenants; the address holds them. */
export function TenantFilters({ view, onView }: TenantFiltersProps) {
  const [typed, setTyped] = useState(view.search ?? '');
  const search = useDebouncedCallback(
    (text: string) => onView({ ...view, search: text.trim() || undefined }),
    250,
  );
  useEffect(
    () => setTyped((text) => (text.trim() === (view.search ?? '') ? text : (view.search ?? ''))),
    [view.search],
  );
  const { sort, reverse } = view;
  return (
    <search className="tg-filters">
      <TextInput
        type="search"
        aria-label="Search tenants"
        className={classes.search}
        placeholder="Search by name or key"
        size="xs"
        maw={340}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          search(value);
        }}
      />
      <TierFilter view={view} onView={onView} />
      <FilterSelect
        label="Status"
        data={Object.entries(TENANT_STATUS_TEXT).map(([value, label]) => ({ value, label }))}
        value={view.status ?? null}
        onChange={(status) => onView({ ...view, status: (status as TenantStatus) ?? undefined })}
      />
      <Button
        variant={view.over === undefined ? 'default' : 'light'}
        aria-pressed={view.over !== undefined}
        onClick={() => onView({ ...view, over: view.over === undefined ? OVER_PERCENT : undefined })}
      >
        Over {view.over ?? OVER_PERCENT} %
      </Button>
      <Button
        variant={view.denied ? 'light' : 'default'}
        aria-pressed={view.denied ?? false}
        onClick={() => onView({ ...view, denied: view.denied ? undefined : true })}
      >
        Denied in 24 h
      </Button>
      {isFiltered(view) && (
        <Button variant="subtle" color="gray" onClick={() => onView({ sort, reverse })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

const FIXED_VIEWS: ReadonlyArray<{ name: string; view: BoardSearch }> = [
  { name: 'All', view: {} },
  { name: `Over ${OVER_PERCENT} %`, view: { over: OVER_PERCENT } },
  { name: 'Denied in 24 h', view: { denied: true } },
  { name: 'Suspended', view: { status: 'SUSPENDED' } },
];

interface TenantViewsProps {
  view: BoardView;
  /** Reads the search part of a saved address. */
  parse: (search: string) => BoardSearch;
}

/** Fixed and saved views with the number of their tenants. */
export function TenantViews({ view, parse }: TenantViewsProps) {
  const { data: saved } = useQuery(savedViewsQuery);
  const [saving, setSaving] = useState(false);
  const remove = useInputMutation(SavedViewRemoveDocument, savedViewsQuery.queryKey);
  const own = saved?.map(({ id, name, search }) => ({ id, name, view: parse(search) })) ?? [];
  const current = JSON.stringify(view);
  const active = own.find((one) => JSON.stringify(one.view) === current);
  return (
    <nav aria-label="Views" className={classes.views}>
      {[...FIXED_VIEWS.map((one) => ({ ...one, id: one.name })), ...own].map(({ id, ...one }) => (
        <ViewLink key={id} {...one} isCurrent={JSON.stringify(one.view) === current} />
      ))}
      <span className={classes.viewActions}>
        {active && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={() => remove.mutate({ id: active.id })}
          >
            Remove view
          </Button>
        )}
        {Object.keys(view).length > 0 && !active && (
          <Button variant="subtle" size="compact-sm" onClick={() => setSaving(true)}>
            Save view
          </Button>
        )}
      </span>
      {saving && <SaveViewDialog view={view} onClose={() => setSaving(false)} />}
    </nav>
  );
}

function ViewLink({ name, view, isCurrent }: { name: string; view: BoardSearch; isCurrent: boolean }) {
  const { data: count } = useQuery(tenantBoardCountQuery(view));
  return (
    <Link
      to="/tenants"
      search={view}
      className={classes.view}
      activeOptions={{ exact: true }}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {name} <span className="tg-soft tg-number">{count}</span>
    </Link>
  );
}

function SaveViewDialog({ view, onClose }: { view: BoardView; onClose: () => void }) {
  const [name, setName] = useState('');
  const { errors, dialog } = useMutationDialog(SavedViewSetDocument, ['name'], savedViewsQuery.queryKey);
  const search = new URLSearchParams(
    Object.entries(view).flatMap(([key, value]) => (value === undefined ? [] : [[key, `${value}`]])),
  ).toString();
  return (
    <CreateModal
      title="Save view"
      submitLabel="Save view"
      onClose={onClose}
      {...dialog({ list: 'tenants', name, search }, onClose)}
    >
      <TextInput
        label="Name"
        description="Only you see your saved views. A view of the same name is replaced."
        required
        data-autofocus
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        error={errors.name}
      />
    </CreateModal>
  );
}
