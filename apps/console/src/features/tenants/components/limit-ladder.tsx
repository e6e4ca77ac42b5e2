import type { LimitSource } from '../../../generated/graphql.js';
import { LIMIT_SOURCE_TEXT } from '../../../lib/labels.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone } from '../../../lib/time-format.js';
import classes from './ladder.module.css';

const RUNGS = ['DEFAULT', 'TIER', 'UPGRADE', 'TOPUP', 'OVERRIDE', 'BOOST'] as const;

/** A limit with where its number comes from. */
export interface LadderLimit {
  source: LimitSource;
  tierLimit: number;
  /** Whether the tier has it from the API's defaults. */
  isDefault: boolean;
  provenance: ReadonlyArray<{
    source: LimitSource;
    adjustmentId: string;
    label: string;
    to: number;
    until?: string | null;
  }>;
}

interface LimitLadderProps {
  limit: LadderLimit;
  /** What the first rung is called: a tier version, or the API. */
  base: string;
  timeZone: string;
}

/** The way of a limit's number from the default to what is in force, rung by rung; the one that wins is lit. */
export function LimitLadder({ limit, base, timeZone }: LimitLadderProps) {
  const { source, tierLimit, isDefault, provenance } = limit;
  return (
    <ol className={classes.ladder}>
      {RUNGS.map((rung) => {
        const steps = provenance.filter((step) => step.source === rung);
        const isBase = rung === (isDefault ? 'DEFAULT' : 'TIER');
        const value = isBase ? tierLimit : steps.at(-1)?.to;
        const isLit = rung === source;
        return (
          <li
            key={rung}
            className={classes.rung}
            data-lit={isLit || undefined}
            data-off={value === undefined || undefined}
          >
            <span className={classes.name}>{LIMIT_SOURCE_TEXT[rung]}</span>
            <span className={classes.value}>{value === undefined ? '–' : formatNumber(value)}</span>
            <span className={classes.detail}>
              {isBase && base}
              {steps.map(({ adjustmentId, label, until }) => (
                <span key={adjustmentId}>
                  {label || LIMIT_SOURCE_TEXT[rung]}
                  {until && `, ${`until ${formatInZone(until, timeZone)}`}`}
                </span>
              ))}
            </span>
            {isLit && <span className={classes.wins}>active</span>}
          </li>
        );
      })}
    </ol>
  );
}
