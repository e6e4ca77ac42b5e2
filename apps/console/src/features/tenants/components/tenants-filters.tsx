import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { TenantStatus } from '../../../generated/graphql.js';
import type { TenantFilter } from '../api/tenants.js';
import { tierChoicesQuery } from '../api/tier-choices.js';
import classes from './tenants.module.css';

const STATUSES: ReadonlyArray<{ value: TenantStatus; label: string }> = [
  { value: 'ACTIVE', label: 'Active' },
  { value: 'SUSPENDED', label: 'Suspended' },
  { value: 'ARCHIVED', label: 'Archived' },
];

interface TenantsFiltersProps {
  filter: TenantFilter;
  onChange: (filter: TenantFilter) => void;
  /** How many tenants match; undefined while that is not known. */
  count: string | undefined;
}

/** Narrows the tenant list by text, tier and status. */
export function TenantsFilters({ filter, onChange, count }: TenantsFiltersProps) {
  const { data: tiers } = useQuery(tierChoicesQuery);
  const [typed, setTyped] = useState(filter.search ?? '');
  const search = useDebouncedCallback(
    (text: string) => onChange({ ...filter, search: text.trim() || undefined }),
    250,
  );
  useEffect(
    () => setTyped((text) => (text.trim() === (filter.search ?? '') ? text : (filter.search ?? ''))),
    [filter.search],
  );
  return (
    <search className={classes.filters}>
      <TextInput
        type="search"
        aria-label="Search tenants"
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
      <Select
        aria-label="Tier"
        placeholder="Any tier"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Any tier' }}
        data={tiers?.map(({ key, name }) => ({ value: key, label: name })) ?? []}
        value={filter.tier ?? null}
        onChange={(tier) => onChange({ ...filter, tier: tier ?? undefined })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={STATUSES}
        value={filter.status ?? null}
        onChange={(status) => onChange({ ...filter, status: status ?? undefined })}
      />
      <span className={classes.count} role="status">
        {count}
      </span>
    </search>
  );
}
