import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowsUpDown, IconArrowUp, IconEqual } from '@tabler/icons-react';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useEffect } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { plural } from '../../lib/number-format.js';
import { combine, type Effect, identityOf, type LimitChange } from './limit-diff.js';
import type { FieldProblem } from './limit-edits.js';
import classes from './tiers.module.css';

const LOOKS = {
  increased: { color: 'gate', text: 'increased', Icon: IconArrowUp },
  decreased: { color: 'ember', text: 'decreased', Icon: IconArrowDown },
  mixed: { color: 'ochre', text: 'mixed', Icon: IconArrowsUpDown },
  neutral: { color: 'gray', text: 'unchanged', Icon: IconEqual },
} as const;

export function EffectBadge({ effect }: { effect: Effect }) {
  const { color, text, Icon } = LOOKS[effect];
  return (
    <Badge color={color} leftSection={<Icon size={11} stroke={2.4} aria-hidden />}>
      {text}
    </Badge>
  );
}

const KINDS = { added: 'New: ', removed: 'Removed: ', changed: '' } as const;

export function ChangeList({ changes }: { changes: readonly LimitChange[] }) {
  return (
    <Stack component="ul" className="tg-list" gap={10}>
      {changes.map((change) => (
        <li key={identityOf(change)} className={classes.change}>
          <Group justify="space-between" gap="4px 12px" px={12} py={8} bg="var(--tg-raised)" fz="sm" fw={500}>
            <span>
              {KINDS[change.kind]}
              {change.api} / {change.name}
            </span>
            <EffectBadge effect={change.effect} />
          </Group>
          {change.fields.length > 0 && <Fields change={change} />}
          <Sentence change={change} />
        </li>
      ))}
    </Stack>
  );
}

function Fields({ change }: { change: LimitChange }) {
  return (
    <dl className={classes.changeBody}>
      {change.fields.map(({ label, before, after }) => (
        <div key={label} style={{ display: 'contents' }}>
          <dt className="tg-soft">{label}</dt>
          <dd>
            <Text component="del" inherit c="dimmed" td="line-through">
              {before}
            </Text>
            {' → '}
            <Text component="ins" inherit fw={500} td="none">
              {after}
            </Text>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Sentence({ change }: { change: LimitChange }) {
  const limit = change.after ?? change.before;
  return (
    <Text fz="xs" c="dimmed" px={12} pb={10} pt={change.fields.length === 0 ? 10 : 0}>
      {limit && summarizeLimit(limit)}
    </Text>
  );
}

interface SaveBarProps {
  changes: readonly LimitChange[];
  /** Errors, each with the ID of its input. */
  problems: readonly FieldProblem[];
  /** Omitted where drafts do not exist. */
  draft?: { saved: boolean; saving: boolean; problem: string | undefined; onSave: () => void };
  onDiscard: () => void;
  onReview: () => void;
}

/** Errors that the bar links. */
const MOST_LINKED = 3;

const focusField = (id: string) => document.getElementById(id)?.focus();

/** Sticky bar shown while there are unapplied edits; with errors, it links to their fields. */
export function SaveBar({ changes, problems, draft, onDiscard, onReview }: SaveBarProps) {
  const sound = problems.length === 0;
  // The bar may appear over the field being edited.
  useEffect(() => {
    document.activeElement?.scrollIntoView({ block: 'nearest' });
  }, [sound]);
  return (
    <section className={classes.saveBar} aria-label="Unapplied changes">
      <span role="status">
        {draft?.problem ??
          (sound
            ? plural(changes.length, 'unapplied change')
            : `Fix ${plural(problems.length, 'error')} to continue`)}
      </span>
      {!sound && (
        <div className={classes.saveBarErrors}>
          {problems.slice(0, MOST_LINKED).map(({ id, text }) => (
            <Anchor
              key={id}
              component="button"
              type="button"
              size="sm"
              c="var(--mantine-color-error)"
              underline="always"
              onClick={() => focusField(id)}
            >
              {text}
            </Anchor>
          ))}
        </div>
      )}
      {sound && changes.length > 0 && <EffectBadge effect={combine(changes.map(({ effect }) => effect))} />}
      <div className={classes.saveBarActions}>
        <Button variant="default" size="sm" onClick={onDiscard}>
          Discard
        </Button>
        {draft && (
          <GatedButton
            permission="tiers:write"
            variant="default"
            size="sm"
            disabled={!sound || draft.saved}
            loading={draft.saving}
            onClick={draft.onSave}
          >
            {draft.saved ? 'Draft saved' : 'Save draft'}
          </GatedButton>
        )}
        <Button size="sm" onClick={() => (problems[0] ? focusField(problems[0].id) : onReview())}>
          Review changes
        </Button>
      </div>
    </section>
  );
}
