import { expect, it } from 'vitest';
import { parseGuard } from './guard-terms.js';

it('parses each part of a guard, with defaults for the others', () => {
  expect(parseGuard('rise=0.5')).toEqual({ maxDenialRise: 0.5, minDecisions: 1000, withinMinutes: 30 });
  expect(parseGuard('minutes=60, decisions=200,rise=2')).toEqual({
    ...{ maxDenialRise: 2, minDecisions: 200, withinMinutes: 60 },
  });
});

it.each(['', 'rise', 'rise=', 'rise=-1', 'rise=1%', 'toString=1', 'minutes=30m', 'decisions=0.5'])(
  'rejects %j and names the parts',
  (text) => expect(() => parseGuard(text)).toThrow('rise=<percentage points>'),
);

it('rejects a number with two readings, and names them', () => {
  expect(() => parseGuard('decisions=1.000')).toThrow('“1.000” can mean 1000 or 1');
  expect(() => parseGuard('rise=1.500')).toThrow('“1.500” can mean 1500 or 1.5');
});
