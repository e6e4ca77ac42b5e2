import { median, medianRound, type Round, whereMeasured } from './measure.ts';

/** Prints rows as a Markdown table for docs/benchmarks. */
export function printTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  console.log(`\n${title}\n`);
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`|${columns.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

/**
 * Prints the median round of each contender. The ratio to `base` is the median over pairs of consecutive rounds,
 * because other load changes from round to round.
 */
export function printRounds(
  title: string,
  rounds: ReadonlyMap<string, readonly Round[]>,
  base: string,
): void {
  const ofBase = rounds.get(base) ?? [];
  printTable(
    title,
    ['', 'decisions/s', 'client CPU', 'server CPU', 'p50', 'p99', `of ${base}`],
    [...rounds].map(([name, all]) => {
      const round = medianRound(all);
      const ratios = all.map(({ opsPerSecond }, i) => opsPerSecond / (ofBase[i]?.opsPerSecond ?? Number.NaN));
      return [
        name,
        thousands(round.opsPerSecond),
        `${round.cpuUsPerOp.toFixed(2)} µs`,
        `${round.serverUsPerOp.toFixed(2)} µs`,
        `${round.p50Ms.toFixed(2)} ms`,
        `${round.p99Ms.toFixed(2)} ms`,
        times(median(ratios)),
      ];
    }),
  );
}

/** `12,345`. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `2.40 ×`. */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

/** Prints one number per line. */
export function printNumbers(title: string, numbers: Readonly<Record<string, number>>): void {
  console.log(`${whereMeasured()}\n\n${title}`);
  for (const [what, value] of Object.entries(numbers)) console.log(`  ${what}: ${Number(value.toFixed(2))}`);
}
