import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChangeList } from '../../components/differences.js';
import { Failure, Hint, Panel, RowsSkeleton } from '../../components/page.js';
import type { TierVersionRef } from '../../generated/graphql.js';
import { diffLimits } from '../../lib/limit-diff.js';
import { type TierInOverview, tierCompareQuery, tierQuery, tiersQuery } from './api.js';

/** A version to compare; the newest without a number. */
export interface VersionChoice {
  tierKey: string | undefined;
  version: number | undefined;
}

interface TierComparisonProps {
  a: VersionChoice;
  b: VersionChoice;
  onChange: (a: VersionChoice, b: VersionChoice) => void;
}

/** Compares two versions of one tier or two. */
export function TierComparison({ a, b, onChange }: TierComparisonProps) {
  const { data: tiers = [] } = useQuery(tiersQuery);
  const [first, second] = [withVersion(a, tiers), withVersion(b, tiers)];
  return (
    <>
      <Panel>
        <Group gap="lg" align="flex-end">
          <VersionPicker label="From" choice={a} tiers={tiers} onChange={(next) => onChange(next, b)} />
          <VersionPicker label="To" choice={b} tiers={tiers} onChange={(next) => onChange(a, next)} />
        </Group>
      </Panel>
      {first && second ? <Differences a={first} b={second} /> : <Hint>Select two versions.</Hint>}
    </>
  );
}

function withVersion(
  { tierKey, version }: VersionChoice,
  tiers: readonly TierInOverview[],
): TierVersionRef | undefined {
  const tier = tiers.find(({ key }) => key === tierKey);
  const number = version ?? tier?.published?.number ?? tier?.draft?.number;
  return tier && number !== undefined ? { tierKey: tier.key, version: number } : undefined;
}

interface VersionPickerProps {
  label: string;
  choice: VersionChoice;
  tiers: readonly TierInOverview[];
  onChange: (choice: VersionChoice) => void;
}

function VersionPicker({ label, choice, tiers, onChange }: VersionPickerProps) {
  const { data } = useQuery({ ...tierQuery(choice.tierKey ?? ''), enabled: choice.tierKey !== undefined });
  const chosen = withVersion(choice, tiers);
  const versions = (data?.tier?.versions ?? []).toSorted((x, y) => y.number - x.number);
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" style={{ flex: '1 1 300px', maxWidth: 460 }}>
      <Select
        label={label}
        aria-label={`${label}: Tier`}
        data={tiers.map(({ key, name }) => ({ value: key, label: name }))}
        value={choice.tierKey ?? null}
        onChange={(tierKey) => tierKey && onChange({ tierKey, version: undefined })}
        style={{ flex: 1 }}
      />
      <Select
        aria-label={`${label}: Version`}
        data={versions.map(({ number, status }) => ({
          value: String(number),
          label: `v${number}${status === 'ARCHIVED' ? '' : `, ${status.toLowerCase()}`}`,
        }))}
        value={chosen ? String(chosen.version) : null}
        onChange={(version) => version && onChange({ ...choice, version: Number(version) })}
        style={{ flex: 1 }}
      />
    </Group>
  );
}

function Differences({ a, b }: { a: TierVersionRef; b: TierVersionRef }) {
  const { data, error, refetch } = useQuery(tierCompareQuery(a, b));
  if (error && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <RowsSkeleton rows={4} framed />;
  if (data === null) {
    return <Hint>One of these versions no longer exists.</Hint>;
  }
  const changes = diffLimits(data.before, data.after);
  return changes.length === 0 ? (
    <Text size="sm">No differences.</Text>
  ) : (
    <div style={{ maxWidth: 820 }}>
      <ChangeList changes={changes} />
    </div>
  );
}
