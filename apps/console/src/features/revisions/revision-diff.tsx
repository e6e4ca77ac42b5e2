import { Badge, Drawer, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FieldRows } from '../../components/differences.js';
import { KeyText } from '../../components/marks.js';
import { QueryFallback } from '../../components/page.js';
import { TypedField, wholeNumbers } from '../../components/typed-field.js';
import { formatNumber } from '../../lib/number-format.js';
import { type RevisionDiff as Diff, type Difference, revisionDiffQuery } from './api.js';
import classes from './revisions.module.css';

const KIND_TEXT = { ADDED: 'added', CHANGED: 'changed', REMOVED: 'removed' } as const;

interface RevisionDiffProps {
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
  onClose: () => void;
}

export function RevisionDiff({ from, to, onChange, onClose }: RevisionDiffProps) {
  const query = useQuery(revisionDiffQuery(from, to));
  return (
    <Drawer opened onClose={onClose} size="lg" title={`Revision ${formatNumber(from)} → ${formatNumber(to)}`}>
      <Group gap="sm" mb="md" align="flex-end" grow>
        <TypedField
          label="From"
          unit={wholeNumbers(1)}
          value={from}
          onChange={(revision) => onChange(revision, to)}
        />
        <TypedField
          label="To"
          unit={wholeNumbers(1)}
          value={to}
          onChange={(revision) => onChange(from, revision)}
        />
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        Differences between revision {formatNumber(from)} and revision {formatNumber(to)}.
      </Text>
      <QueryFallback query={query} rows={4} />
      {query.data && <RevisionDifferences diff={query.data} />}
    </Drawer>
  );
}

/** Changed tiers, APIs and rules for all tenants with their differences. */
export function RevisionDifferences({ diff }: { diff: Omit<Diff, 'from' | 'to'> }) {
  const { tiers, apis, subjectRules } = diff;
  if (tiers.length + apis.length + subjectRules.length === 0) return <Text size="sm">No differences.</Text>;
  const change = (from: unknown, to: unknown) => `${from ?? '–'} → ${to ?? '–'}`;
  return (
    <>
      {tiers.map(({ key, kind, fromVersion, toVersion, fromWeight, toWeight, limits }) => (
        <section key={key} className={classes.part}>
          <PartHead name={key} kind={kind}>
            version {change(fromVersion, toVersion)}
            {fromWeight !== toWeight && ` · weight ${change(fromWeight, toWeight)}`}
          </PartHead>
          <DifferenceList title="Limits" differences={limits} />
        </section>
      ))}
      {apis.map(({ key, kind, fromUnknownOperations, toUnknownOperations, operations, pools }) => (
        <section key={key} className={classes.part}>
          <PartHead name={key} kind={kind}>
            {fromUnknownOperations !== toUnknownOperations &&
              `unregistered operations ${change(fromUnknownOperations, toUnknownOperations)}`.toLowerCase()}
          </PartHead>
          <DifferenceList title="Operations" differences={operations} />
          <DifferenceList title="Pools" differences={pools} />
        </section>
      ))}
      {subjectRules.length > 0 && (
        <section className={classes.part}>
          <DifferenceList title="Rules for subjects of all tenants" differences={subjectRules} />
        </section>
      )}
    </>
  );
}

const COLORS = { ADDED: 'gate', REMOVED: 'ember', CHANGED: 'ochre' } as const;

interface PartHeadProps {
  name: string;
  kind: keyof typeof COLORS;
  children: ReactNode;
}

function PartHead({ name, kind, children }: PartHeadProps) {
  return (
    <div className={classes.partHead}>
      <KeyText fw={600}>{name}</KeyText>
      <Badge color={COLORS[kind]}>{KIND_TEXT[kind]}</Badge>
      <Text span size="xs" c="dimmed">
        {children}
      </Text>
    </div>
  );
}

function DifferenceList({ title, differences }: { title: string; differences: readonly Difference[] }) {
  if (differences.length === 0) return null;
  return (
    <>
      <div className={classes.listTitle}>{title}</div>
      <FieldRows
        rows={differences.map(({ name, from, to }) => ({
          label: name,
          before: from ?? undefined,
          after: to ?? undefined,
        }))}
      />
    </>
  );
}
