import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
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
  const t = useTranslations('usage');
  const { timeZone, step } = lines;
  const { count, refused } = usage.total;
  const fromMs = Date.parse(usage.from);
  const peak = peakOf(lines, view);
  const filters = [
    view.api && t('filterApi', { name: view.api }),
    view.operation && t('filterOperation', { name: view.operation }),
    view.limit && t('filterLimit', { name: view.limit }),
  ].filter(Boolean);
  const what = filters.length > 0 ? filters.join(', ') : t('everything');
  const sentences = [
    t(count === 0 ? 'summaryNone' : 'summary', {
      what: what.charAt(0).toUpperCase() + what.slice(1),
      from: formatAt(fromMs, timeZone, 'moment'),
      to: formatAt(Date.parse(usage.to), timeZone, 'moment'),
      decisions: count,
      refused,
      share: count === 0 ? '' : formatShare(refused / count),
    }),
    ...(peak
      ? [
          t('summaryPeak', {
            step: t(`perStep.${step}`),
            value: formatNumber(peak.value),
            when: formatPoint(peak.atMs, timeZone, step),
          }),
        ]
      : []),
    t('summaryZone', { timeZone }),
    ...(Date.parse(usage.keptSince) > fromMs
      ? [t('summaryKept', { when: formatAt(Date.parse(usage.keptSince), timeZone, 'moment') })]
      : []),
  ];
  return (
    <Text size="sm" c="dimmed" className={classes.text}>
      {sentences.join(' ')}
    </Text>
  );
}
