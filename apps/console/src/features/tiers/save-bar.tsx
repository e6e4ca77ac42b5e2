import { Anchor, Button } from '@mantine/core';
import { useEffect } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { EffectBadge } from '../../components/differences.js';
import { combine, type LimitChange } from '../../lib/limit-diff.js';
import { plural } from '../../lib/number-format.js';
import type { FieldProblem } from './limit-edits.js';
import classes from './tiers.module.css';

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
              ta="left"
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
