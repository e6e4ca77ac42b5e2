import { describe, expect, it } from 'vitest';
import { printedName } from './outcome.js';

const problemsOf = (name: string) => printedName.safeParse(name).error?.issues.map(({ message }) => message);

describe('a printed name', () => {
  it('is not searched for characters that cannot be printed if it is too long', () => {
    expect(problemsOf('\u07ca')).toEqual([expect.stringContaining('cannot print “\u07ca”')]);
    expect(problemsOf('\u07ca'.repeat(81))).toEqual(['At most 80 characters']);
  });

  it.each(['\u200d', '\ufe0f', '\u200e \u200f'])('has a visible character, unlike %j', (name) => {
    expect(problemsOf(name)).toEqual(['Enter at least one visible character']);
  });

  it('may have joiners between its letters', () => {
    expect(problemsOf('می\u200cخواهم')).toBeUndefined();
  });

  it('is not empty', () => {
    expect(problemsOf(' ')).toEqual(['Enter a name']);
  });
});
