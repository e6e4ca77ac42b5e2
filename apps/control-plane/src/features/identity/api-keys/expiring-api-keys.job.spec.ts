import { describe, expect, it } from 'vitest';
import { warningDue } from './expiring-api-keys.job.js';

const day = (number: number) => new Date(Date.UTC(2030, 0, 1) + number * 86_400_000);

describe('warningDue', () => {
  it.each([
    ['none more than 14 days before expiry', 0, 30, 15.9, undefined],
    ['the first 14 days before expiry', 0, 30, 16, 14],
    ['the first until the second is due', 0, 30, 26.9, 14],
    ['the second 3 days before expiry', 0, 30, 27, 3],
    ['the last from one day before expiry until expiry', 0, 30, 29.9, 1],
    ['none after expiry', 0, 30, 30, undefined],
    ['none immediately for a key with a lifetime of ten days', 0, 10, 1, undefined],
    ['the second for a key with a lifetime of ten days', 0, 10, 7.5, 3],
    ['none for a key with a lifetime of a few hours', 0, 0.5, 0.4, undefined],
  ])('is %s', (_, created, expires, now, expected) => {
    expect(warningDue({ createdAt: day(created), expiresAt: day(expires) }, day(now))).toBe(expected);
  });
});
