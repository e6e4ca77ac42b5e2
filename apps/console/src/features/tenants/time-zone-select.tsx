import { type ComboboxItem, type OptionsFilter, Select, type SelectProps } from '@mantine/core';
import { canonicalTimeZone, TIME_ZONES } from '@tollgate/contracts/time-zones';

const zones = TIME_ZONES.map(({ name }) => name);
const data = ['UTC', ...zones.filter((name) => name !== 'UTC')];
const searched = new Map(
  TIME_ZONES.map(({ name, aliases }) => [name, toSearch([name, ...aliases].join(' '))]),
);

interface TimeZoneSelectProps extends Omit<SelectProps, 'data' | 'label' | 'value'> {
  value: string;
}

/** Selects a time zone by its canonical name. Its aliases find it too. */
export function TimeZoneSelect({ value, ...rest }: TimeZoneSelectProps) {
  return (
    <Select
      label="Time zone"
      data={data}
      searchable
      limit={60}
      filter={findZones}
      value={canonicalTimeZone(value) ?? value}
      {...rest}
    />
  );
}

const findZones: OptionsFilter = ({ options, search, limit }) => {
  const text = toSearch(search.trim());
  return (options as ComboboxItem[])
    .filter(({ value }) => searched.get(value)?.includes(text))
    .slice(0, limit);
};

function toSearch(text: string): string {
  return text.toLowerCase().replaceAll('_', ' ');
}
