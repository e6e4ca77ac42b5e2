import type { Load } from './loads.ts';

export function percentiles({ latency }: Pick<Load, 'latency'>, ...parts: number[]): string[] {
  return parts.map((part) => `${(latency.getValueAtPercentile(part) / 1000).toFixed(2)} ms`);
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Prints a table as documents have it. */
export function table(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n\n| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}
