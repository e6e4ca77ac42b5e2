import { Button } from '@mantine/core';
import { GatedButton } from '../../../components/buttons.js';
import { plural } from '../../../lib/number-format.js';
import type { LimitChange } from '../limit-diff.js';
import { combine } from '../limit-effects.js';
import { EffectBadge } from './effect-badge.js';
import classes from './tiers.module.css';

interface SaveBarProps {
  changes: readonly LimitChange[];
  /** False while something typed cannot be stored. */
  sound: boolean;
  /** Keeps the edits as a draft; left out where there are none. */
  draft?: { saved: boolean; saving: boolean; problem: string | undefined; onSave: () => void };
  onDiscard: () => void;
  onReview: () => void;
}

/** Stays at the bottom while there are edits that nobody has applied. */
export function SaveBar({ changes, sound, draft, onDiscard, onReview }: SaveBarProps) {
  return (
    <section className={classes.saveBar} aria-label="Unapplied changes">
      <span role="status">
        {draft?.problem ??
          (sound ? plural(changes.length, 'unapplied change') : 'Fix the errors to continue')}
      </span>
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
        <Button size="sm" disabled={!sound} onClick={onReview}>
          Review changes
        </Button>
      </div>
    </section>
  );
}
