import { Button } from '@mantine/core';
import { plural } from '../../../lib/number-format.js';
import { combine, type LimitChange } from '../limit-diff.js';
import { EffectBadge } from './effect-badge.js';
import classes from './tiers.module.css';

interface SaveBarProps {
  changes: readonly LimitChange[];
  /** False while something typed cannot be stored. */
  sound: boolean;
  onDiscard: () => void;
  onReview: () => void;
}

/** Stays at the bottom while there are edits that nobody has applied. */
export function SaveBar({ changes, sound, onDiscard, onReview }: SaveBarProps) {
  return (
    <section className={classes.saveBar} aria-label="Unapplied changes">
      <span role="status">
        {sound
          ? `${plural(changes.length, 'change')} not applied yet`
          : 'Something cannot be stored as typed'}
      </span>
      {sound && <EffectBadge effect={combine(changes.map((change) => change.effect))} />}
      <div className={classes.saveBarActions}>
        <Button variant="default" size="sm" onClick={onDiscard}>
          Discard
        </Button>
        <Button size="sm" disabled={!sound} onClick={onReview}>
          Review changes
        </Button>
      </div>
    </section>
  );
}
