import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tierChoicesQuery } from './api.js';
import type { BoardView } from './board-api.js';

/** A value to filter by; any value when cleared. */
export function FilterSelect({ label, ...props }: SelectProps & { label: string }) {
  const any = `Any ${label.toLowerCase()}`;
  return (
    <Select
      aria-label={label}
      placeholder={any}
      size="xs"
      w={130}
      clearable
      clearButtonProps={{ 'aria-label': any }}
      {...props}
    />
  );
}

interface TierFilterProps {
  view: BoardView;
  onView: (view: BoardView) => void;
  /** Loads the tiers on first use; by default at once, to name the tier of a view from the address. */
  loadOnFocus?: boolean;
}

export function TierFilter({ view, onView, loadOnFocus = false }: TierFilterProps) {
  const [isEnabled, setEnabled] = useState(!loadOnFocus);
  const { data: tiers } = useQuery({ ...tierChoicesQuery, enabled: isEnabled });
  return (
    <FilterSelect
      label="Tier"
      data={tiers?.map(({ key, name }) => ({ value: key, label: name })) ?? []}
      value={view.tier ?? null}
      onFocus={() => setEnabled(true)}
      onChange={(tier) => onView({ ...view, tier: tier ?? undefined })}
    />
  );
}
