import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import type { ReactNode } from 'react';
import type { LimitSource } from '../generated/graphql.js';
import { LIMIT_SOURCE_TEXT } from '../lib/labels.js';
import { ruleOf } from '../lib/limit-fields.js';
import { formatNumber } from '../lib/number-format.js';
import { formatAmount } from '../lib/rate.js';
import { formatInZone } from '../lib/time-format.js';
import classes from './limit-ladder.module.css';

export interface LadderStep {
  source: LimitSource;
  adjustmentId: string;
  label: string;
  from: number;
  to: number;
  until?: string | null;
}

interface LimitLadderProps {
  /** With the effective values. */
  policy: LimitPolicy;
  /** The value in the tier version. */
  tierLimit: number;
  /** Whether the tier version has it from the API's defaults. */
  isDefault: boolean;
  provenance: readonly LadderStep[];
  /** Names the tier version, or the API of a default limit. */
  base: ReactNode;
  /** Names the source of a step; default: its label. */
  sourceOf?: (step: LadderStep) => ReactNode;
  timeZone: string;
}

/** The calculation of a limit from the tier or default to the effective value, a step per row. */
export function LimitLadder(props: LimitLadderProps) {
  const { policy, tierLimit, isDefault, provenance, base, sourceOf = labelOf, timeZone } = props;
  const most = Math.max(1, policy.limit, tierLimit, ...provenance.map(({ to }) => to));
  const share = (value: number) => `${(value / most) * 100}%`;
  const amount = (limit: number) => formatAmount({ ...ruleOf(policy), limit });
  return (
    <ol className={classes.ladder}>
      <li>
        <span className={classes.name}>{LIMIT_SOURCE_TEXT[isDefault ? 'DEFAULT' : 'TIER']}</span>
        <span className={classes.source}>{base}</span>
        <Track width={share(tierLimit)} />
        <span className={classes.effect}>sets</span>
        <span className={classes.value}>{amount(tierLimit)}</span>
      </li>
      {provenance.map((step) => (
        <li key={step.adjustmentId}>
          <span className={classes.name}>{LIMIT_SOURCE_TEXT[step.source]}</span>
          <span className={classes.source}>
            {sourceOf(step)}
            {step.until && `, until ${formatInZone(step.until, timeZone)}`}
          </span>
          <Track
            width={share(Math.abs(step.to - step.from))}
            start={share(Math.min(step.from, step.to))}
            tone={step.to < step.from ? 'decreased' : undefined}
          />
          <span className={classes.effect}>{effectOf(step)}</span>
          <span className={classes.value}>{amount(step.to)}</span>
        </li>
      ))}
      <li data-effective>
        <span className={classes.name}>Effective</span>
        <span className={classes.source}>{summarizeLimit(policy)}</span>
        <Track width={share(policy.limit)} />
        <span className={classes.effect} />
        <span className={classes.value}>{amount(policy.limit)}</span>
      </li>
    </ol>
  );
}

const labelOf = ({ label, source }: LadderStep): string => label || LIMIT_SOURCE_TEXT[source];

function effectOf({ from, to }: LadderStep): string {
  if (from === to) return 'no change';
  return to > from ? `adds ${formatNumber(to - from)}` : `removes ${formatNumber(from - to)}`;
}

function Track({
  width,
  start = '0%',
  tone,
}: {
  width: string;
  start?: string;
  tone?: 'decreased' | undefined;
}) {
  return (
    <span className={classes.track} aria-hidden="true">
      <i className={classes.below} style={{ width: start }} />
      <i data-tone={tone} style={{ width }} />
    </span>
  );
}
