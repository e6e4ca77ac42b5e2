import { describe, expect, it } from 'vitest';
import { csvCell } from './audit-export.js';

describe('a cell of CSV', () => {
  it('is quoted if necessary', () => {
    expect(['plain', 'a,b', 'say "so"', 'two\nlines', null, { a: 1 }, 7].map(csvCell)).toEqual([
      'plain',
      '"a,b"',
      '"say ""so"""',
      '"two\nlines"',
      '',
      '"{""a"":1}"',
      '7',
    ]);
  });

  it('never begins a formula', () => {
    const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '|cmd', '%0A=1', '\u00a0=1'];
    for (const text of hostile) expect(csvCell(text)).toMatch(/^"?'/);
  });

  it('keeps numbers unchanged', () => {
    expect(csvCell(-1)).toBe('-1');
  });
});
