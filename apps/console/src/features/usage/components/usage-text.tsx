import { Text } from '@mantine/core';
import { STEP_TEXT } from '../../../lib/labels.js';
import { formatNumber, formatShare, plural } from '../../../lib/number-format.js';
import type { Usage } from '../api/usage.js';
import type { UsageLines } from '../usage-lines.js';
import { peakOf } from '../usage-peak.js';
import { formatAt, formatPoint } from '../usage-time.js';
import type { UsageView } from '../usage-view.js';
import classes from './usage.module.css';

interface UsageTextProps {
  usage: Usage;
  lines: UsageLines;
  view: UsageView;
}

/** The chart in words. */
export function UsageText({ usage, lines, view }: UsageTextProps) {
  const { timeZone, step } = lines;
  const { count, refused } = usage.total;
  const fromMs = Date.parse(usage.from);
  const peak = peakOf(lines, view);
  const filters = [
    view.api && `API ${view.api}`,
    view.operation && `operation ${view.operation}`,
    view.limit && `decided by ${view.limit}`,
  ].filter(Boolean);
  const what = filters.length > 0 ? filters.join(', ') : 'All APIs';
  const sentences = [
    count === 0
      ? `${what.charAt(0).toUpperCase() + what.slice(1)}, ${formatAt(fromMs, timeZone, 'moment')} to ${formatAt(Date.parse(usage.to), timeZone, 'moment')}: no decisions. New decisions appear within seconds.`
      : `${what.charAt(0).toUpperCase() + what.slice(1)}, ${formatAt(fromMs, timeZone, 'moment')} to ${formatAt(Date.parse(usage.to), timeZone, 'moment')}: ${plural(count, 'decision')}${refused === 0 ? ', none denied' : `, ${formatNumber(refused)} denied (${count === 0 ? '' : formatShare(refused / count)})`}.`,
    ...(peak
      ? [
          `Peak per ${STEP_TEXT[step]}: ${formatNumber(peak.value)} (${formatPoint(peak.atMs, timeZone, step)}).`,
        ]
      : []),
    `Times in ${timeZone}.`,
    ...(Date.parse(usage.keptSince) > fromMs
      ? [
          `Before ${formatAt(Date.parse(usage.keptSince), timeZone, 'moment')}, usage is stored in longer intervals only.`,
        ]
      : []),
  ];
  return (
    <Text size="sm" c="dimmed" className={classes.text}>
      {sentences.join(' ')}
    </Text>
  );
}
