type Cell = string | number;

/** `12,345` */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** A stretch of time, rounded for people: `0.4 s`, `12 s`, `3 min 20 s`, `5 h 2 min`. */
export function formatTookMs(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** Lines of aligned columns, numbers to the right, indented by two. */
export function formatTable(rows: readonly (readonly Cell[])[], head?: readonly string[]): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const all = head === undefined ? texts : [[...head], ...texts];
  const widths = all[0]?.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length))) ?? [];
  return all
    .map((row) => {
      const cells = row.map((text, i) => {
        const width = widths[i] ?? 0;
        return typeof rows[0]?.[i] === 'number' ? text.padStart(width) : text.padEnd(width);
      });
      return `  ${cells.join('  ')}`.trimEnd();
    })
    .join('\n');
}

/** Text from outside, made safe for a terminal: control and direction characters become escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}
