import { expect, it } from 'vitest';
import { nextStep, startOfStep } from './time-format.js';

const at = (text: string) => new Date(text).getTime();
const text = (ms: number) => new Date(ms).toISOString().slice(0, 16);

it.each([
  ['day', 'UTC', '2026-11-22T10:00Z', '2026-11-22T00:00', '2026-11-23T00:00'],
  ['day', 'America/New_York', '2026-11-22T03:00Z', '2026-11-21T05:00', '2026-11-22T05:00'],
  ['day', 'Asia/Kathmandu', '2026-11-22T10:00Z', '2026-11-21T18:15', '2026-11-22T18:15'],
  // 25 hours: clocks go back.
  ['day', 'Europe/Berlin', '2026-10-25T12:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
  // 23 hours: clocks go forward.
  ['day', 'Europe/Berlin', '2026-03-29T12:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
  // Clocks go forward at midnight: the day begins at one.
  ['day', 'Africa/Cairo', '2026-04-24T12:00Z', '2026-04-23T22:00', '2026-04-24T21:00'],
  ['month', 'Europe/Berlin', '2026-03-31T23:00Z', '2026-03-31T22:00', '2026-04-30T22:00'],
  ['month', 'Europe/Berlin', '2026-12-15T23:00Z', '2026-11-30T23:00', '2026-12-31T23:00'],
] as const)('%s of %s at %s', (step, zone, moment, start, next) => {
  expect(text(startOfStep(step, zone, at(moment)))).toBe(start);
  expect(text(nextStep(step, zone, at(`${start}Z`)))).toBe(next);
});

it('steps through a year without a gap in every kind of zone', () => {
  for (const zone of ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Apia']) {
    let day = startOfStep('day', zone, at('2026-01-15T12:00Z'));
    for (let walked = 0; walked < 365; walked++) {
      const next = nextStep('day', zone, day);
      expect(startOfStep('day', zone, next - 1), `${zone} ${text(next)}`).toBe(day);
      expect(startOfStep('day', zone, next), `${zone} ${text(next)}`).toBe(next);
      day = next;
    }
  }
});
