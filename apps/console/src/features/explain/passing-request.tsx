import { OTHER_LABELS } from '@tollgate/contracts/limit-scope';
import { Panel } from '../../components/page.js';
import { SHARED_PART_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatInstant } from '../../lib/time-format.js';
import { type Explanation, isDenied } from './api.js';
import classes from './explain.module.css';

interface PassingRequestProps {
  explanation: Explanation;
  timeZone: string;
  /** How limits are named. */
  nameOf: (limitName: string) => string;
}

/** What would have allowed a denied request. */
export function PassingRequest({ explanation, timeZone, nameOf }: PassingRequestProps) {
  if (!isDenied(explanation.decision.outcome)) return null;
  return (
    <Panel title="What would have allowed it">
      <ul className={classes.ways}>
        {waysOf(explanation, timeZone, nameOf).map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
    </Panel>
  );
}

const OTHER_WAYS: Partial<Record<Explanation['decision']['reason'], string>> = {
  POOL_EXHAUSTED: 'Free capacity of the API. No limit denied the request.',
  DEGRADED: 'Counters that respond: without them, a node decides by its own share of the limit.',
};

function otherWay(
  { reason, ruleId, limitName }: Explanation['decision'],
  nameOf: (limitName: string) => string,
): string {
  if (reason !== 'BLOCKED')
    return OTHER_WAYS[reason] ?? 'The counter then is not known, so no condition can be given.';
  if (ruleId != null) return 'Without the rule that denies the caller.';
  if (limitName != null) return `${nameOf(limitName)}: a limit above 0.`;
  return 'An active tenant, and an operation that the API knows.';
}

/** One sentence per way; each alone is enough, except that of several limits all must be higher. */
export function waysOf(
  { decision, limits, passing, past, today }: Explanation,
  timeZone: string,
  nameOf: (limitName: string) => string,
): string[] {
  if (!passing) return [otherWay(decision, nameOf)];
  const ways = [
    passing.at
      ? `The same request from ${formatInstant(passing.at, timeZone)}, if no other was allowed before it.`
      : `Waiting would not help: a cost of ${formatNumber(decision.cost)} never fits the limit.`,
  ];
  if (passing.cost) ways.push(`A cost of ${formatNumber(passing.cost)} or less at that time.`);
  for (const { limitName, label, sufficient } of limits) {
    if (!sufficient) continue;
    const { field, value } = sufficient;
    const amount =
      field === 'LIMIT' && past && limitName === decision.limitName
        ? formatAmount({ ...ruleOf(past.limit.policy), limit: value })
        : formatNumber(value);
    const whose = label === OTHER_LABELS ? 'other labels' : (SHARED_PART_TEXT[label ?? ''] ?? label);
    const name = label ? `${nameOf(limitName)} for ${whose}` : nameOf(limitName);
    ways.push(`${name}: ${FIELD_TEXT[field]} of ${amount} or more.`);
    if (
      field === 'LIMIT' &&
      !label &&
      limitName === decision.limitName &&
      today &&
      today.policy.limit >= value
    )
      ways.push(`Today’s limit, ${formatAmount(ruleOf(today.policy))}.`);
  }
  return ways;
}

const FIELD_TEXT = { LIMIT: 'a limit', CAPACITY: 'a capacity', BURST: 'a burst', QUEUE: 'a queue' } as const;
