import { expect, it } from 'vitest';
import { timeZoneSchema } from './names.js';
import { TIME_ZONES } from './time-zones.js';

it.each([
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Etc/UTC', 'UTC'],
  ['zulu', 'UTC'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['Europe/Amsterdam', 'Europe/Amsterdam'],
])('reads %s as %s', (name, canonical) => expect(timeZoneSchema.parse(name)).toBe(canonical));

it.each(['Mars/Olympus', '+02:00', '', 'Etc/Unknown'])('rejects "%s"', (name) =>
  expect(timeZoneSchema.safeParse(name).success).toBe(false),
);

it('has each zone of Intl, and only names that Intl knows', () => {
  const names = TIME_ZONES.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(Intl.supportedValuesOf('timeZone')));
  for (const { name, aliases } of TIME_ZONES) {
    const resolved = [name, ...aliases].map(
      (timeZone) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone,
    );
    expect(new Set(resolved).size, name).toBe(1);
  }
});
