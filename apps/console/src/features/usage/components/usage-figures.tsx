import { Figure, Figures } from '../../../components/figures.js';
import { STEP_TEXT } from '../../../lib/labels.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import type { Usage } from '../api/usage.js';
import type { UsageLines } from '../usage-lines.js';
import { peakOf } from '../usage-peak.js';
import { formatPoint } from '../usage-time.js';
import type { UsageView } from '../usage-view.js';

interface UsageFiguresProps {
  usage: Usage;
  lines: UsageLines;
  view: UsageView;
}

/** The stretch in four numbers. */
export function UsageFigures({ usage: { total }, lines, view }: UsageFiguresProps) {
  const peak = peakOf(lines, view);
  const { count, refused, units } = total;
  return (
    <Figures>
      {view.unit === 'units' ? (
        <Figure label="Cost units" value={formatNumber(units)} />
      ) : (
        <Figure label="Decisions" value={formatNumber(count)} />
      )}
      <Figure label="Denied" value={formatNumber(refused)} />
      <Figure label="Denied share" value={count === 0 ? '–' : formatShare(refused / count)} />
      <Figure
        label={`Peak per ${STEP_TEXT[lines.step]}`}
        value={peak ? formatNumber(peak.value) : '–'}
        note={peak && formatPoint(peak.atMs, lines.timeZone, lines.step)}
      />
    </Figures>
  );
}
