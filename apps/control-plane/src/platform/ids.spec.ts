import { describe, expect, it } from 'vitest';
import { ID_PREFIXES, type IdKind, kindOfId, newId } from './ids.js';

describe('newId', () => {
  it('tells its kind, and differs each time', () => {
    for (const kind of Object.keys(ID_PREFIXES) as IdKind[]) expect(kindOfId(newId(kind))).toBe(kind);
    expect(newId('tenant')).not.toBe(newId('tenant'));
  });

  it('is a UUIDv7: version 7, variant 10, with the time', () => {
    const startMs = Date.now();
    const id = newId('tenant').slice('ten_'.length);
    const createdMs = Number.parseInt(id.slice(0, 12), 16);
    expect(id[12]).toBe('7');
    expect(id[16]).toMatch(/[89ab]/);
    expect(createdMs).toBeGreaterThanOrEqual(startMs);
    expect(createdMs).toBeLessThanOrEqual(Date.now());
  });

  it('sorts in order of creation, within a millisecond too', () => {
    const ids = Array.from({ length: 1_000 }, () => newId('tenant'));
    expect([...ids].sort()).toEqual(ids);
  });

  it.each([
    '',
    'ten_',
    'ten_xyz',
    'TEN_00000000000000000000000000000000',
    'foo_00000000000000000000000000000000',
  ])('%j is no id', (text) => {
    expect(kindOfId(text)).toBeUndefined();
  });
});
