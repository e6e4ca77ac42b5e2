import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { graphql } from '../generated/index.js';
import { fieldQuery } from '../lib/graphql-request.js';

const MatchingTenantsDocument = graphql(`
  query MatchingTenants($search: String) {
    tenants(first: 20, search: $search) { nodes { id key name parentKey } }
  }
`);

const matchingTenantsQuery = (search: string) =>
  queryOptions({
    ...fieldQuery(['matching-tenants', search], MatchingTenantsDocument, { search: search || null }),
    placeholderData: (previous) => previous,
  });

interface TenantSelectProps {
  label: string;
  description?: string;
  value: string;
  onChange: (tenantKey: string) => void;
  error?: string | undefined;
  /** Only tenants that may be a parent. */
  parents?: boolean;
  optional?: boolean;
  autoFocus?: boolean;
}

/** Selects a tenant by part of its name or key. */
export function TenantSelect({
  value,
  onChange,
  parents = false,
  optional = false,
  autoFocus = false,
  ...props
}: TenantSelectProps) {
  const [search, setSearch] = useState('');
  const [settled] = useDebouncedValue(search, 200);
  const { data } = useQuery(matchingTenantsQuery(settled));
  const found = data?.nodes.filter(({ parentKey }) => !parents || parentKey === null) ?? [];
  // The chosen one may not be among the first.
  const choices =
    value === '' || found.some(({ key }) => key === value) ? found : [{ key: value, name: value }, ...found];
  return (
    <Select
      placeholder={optional ? 'None' : 'Search tenants'}
      data={choices.map(({ key, name }) => ({ value: key, label: name === key ? key : `${name} (${key})` }))}
      filter={({ options }) => options}
      searchable
      clearable={optional}
      onSearchChange={(text) => setSearch(text.replace(/ \([^)]*\)$/, ''))}
      value={value || null}
      onChange={(key) => onChange(key ?? '')}
      nothingFoundMessage="No matching tenants"
      {...(autoFocus ? { 'data-autofocus': true } : {})}
      {...props}
    />
  );
}
