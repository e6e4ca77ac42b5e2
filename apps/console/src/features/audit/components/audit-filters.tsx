import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { describeAction, KNOWN_ACTIONS } from '../../../lib/audit-text.js';
import classes from './audit.module.css';

/** What the page's address keeps of the filter; days are of the reader's own zone. */
export interface AuditSearch {
  tenant?: string;
  actor?: string;
  action?: string;
  entityId?: string;
  from?: string;
  to?: string;
}

interface AuditFiltersProps {
  value: AuditSearch;
  onChange: (value: AuditSearch) => void;
}

const TYPING_MS = 300;

/** Narrows the trail down; every field is a part of the address. */
export function AuditFilters({ value, onChange }: AuditFiltersProps) {
  const set = (name: keyof AuditSearch, text: string | null) => {
    const { [name]: _, ...rest } = value;
    onChange(text === null || text.trim() === '' ? rest : { ...rest, [name]: text.trim() });
  };
  const type = useDebouncedCallback(set, TYPING_MS);
  const text = (name: 'tenant' | 'actor' | 'entityId', label: string) => (
    <TextInput
      key={`${name} ${value[name] === undefined}`}
      className={classes.filter ?? ''}
      size="xs"
      label={label}
      defaultValue={value[name] ?? ''}
      onChange={({ currentTarget }) => type(name, currentTarget.value)}
    />
  );
  const day = (name: 'from' | 'to', label: string) => (
    <TextInput
      className={classes.filter ?? ''}
      size="xs"
      type="date"
      label={label}
      value={value[name] ?? ''}
      onChange={({ currentTarget }) => set(name, currentTarget.value)}
    />
  );
  const actions = [...new Set([...KNOWN_ACTIONS, ...(value.action === undefined ? [] : [value.action])])];
  return (
    <search className={classes.filters}>
      {text('tenant', 'Tenant key')}
      {text('actor', 'Actor')}
      <Select
        className={classes.filter ?? ''}
        size="xs"
        label="Action"
        placeholder="Any action"
        data={actions.sort().map((action) => ({ value: action, label: describeAction(action) }))}
        value={value.action ?? null}
        onChange={(action) => set('action', action)}
        searchable
        clearable
      />
      {text('entityId', 'Object ID')}
      {day('from', 'From')}
      {day('to', 'To')}
      {Object.keys(value).length > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  );
}
