import { formatNumber, plural } from '../lib/number-format.js';

interface Impact {
  tenants: number;
  loosened: number;
  tightened: number;
}

/** Whom a change reaches, as a dry run has said. */
export function ImpactText({ impact }: { impact: Impact | null | undefined }) {
  if (impact === undefined) return 'Loading affected tenants…';
  if (impact === null || impact.tenants === 0) return 'No tenant limits change.';
  const { tenants, loosened, tightened } = impact;
  return `${plural(tenants, 'tenant')} affected: ${formatNumber(loosened)} increased, ${formatNumber(tightened)} decreased.`;
}
