const grouped = new Intl.NumberFormat('en-US');
const perSecond = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `12,345`. */
export const formatNumber = (value: number): string => grouped.format(value);

/** A rate for a small label: one decimal below ten, whole above. */
export const formatPerSecond = (value: number): string =>
  value < 10 ? perSecond.format(value) : grouped.format(Math.round(value));

/** A share from 0 to 1 as `4 %`; “< 1 %” rather than a false zero. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return '< 1 %';
  return `${Math.round(share * 100)} %`;
}

/** `140 ms`, `1.2 s`. */
export function formatLatency(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** `1 tenant`, `12 tenants`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped.format(count)} ${count === 1 ? one : many}`;
}
