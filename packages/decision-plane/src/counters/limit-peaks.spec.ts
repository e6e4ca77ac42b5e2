import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { LimitPeaks, type PeakSlot } from './limit-peaks.js';

const MAX_PENDING = 20_000;
const stored = fixedWindowPolicy({ limit: 10 });
const { api, name: limit } = stored;
const reading = (tenant: string, used: number, denied: number, atMs: number) => ({
  tenant,
  api,
  limit,
  used,
  capacity: 10,
  denied,
  atMs,
});

describe('LimitPeaks', () => {
  it('reports the highest usage of a frame and the sum of denied units, also of two slots', () => {
    const peaks = new LimitPeaks();
    const slots: PeakSlot[] = [{ peak: undefined }, { peak: undefined }];
    const record = (i: number, used: number, denied: number, atMs: number) =>
      peaks.record('acme', stored, used, 10, denied, atMs, undefined, slots[i]);
    record(0, 3, 0, 1);
    record(1, 7, 2, 2);
    record(0, 5, 1, 3);
    expect(peaks.take(9)).toEqual([reading('acme', 7, 3, 2)]);
    record(0, 1, 0, 4);
    expect(peaks.take(9)).toEqual([reading('acme', 1, 0, 4)]);
    expect(peaks.take(9)).toEqual([]);
  });

  it('records limits beyond its bound again after a frame', () => {
    const peaks = new LimitPeaks();
    const slot: PeakSlot = { peak: undefined };
    for (let n = 0; n < MAX_PENDING; n++) peaks.record(`tenant-${n}`, stored, 1, 10, 0, 1);
    const record = (used: number, atMs: number) =>
      peaks.record('last', stored, used, 10, 1, atMs, undefined, slot);
    record(9, 2);
    peaks.record('tenant-1', stored, 8, 10, 0, 3);
    expect(peaks.take(2)).toEqual([reading('tenant-0', 1, 0, 1), reading('tenant-1', 8, 0, 3)]);
    record(4, 4);
    record(5, 5);
    const rest = peaks.take(2 * MAX_PENDING);
    expect(rest.length).toBe(MAX_PENDING - 1);
    expect(rest.at(-1)).toEqual(reading('last', 5, 2, 5));
  });
});
