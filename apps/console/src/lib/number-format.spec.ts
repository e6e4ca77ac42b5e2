import { describe, expect, it } from 'vitest';
import { formatLatency, formatNumber, formatPerSecond, formatShare, plural } from './number-format.js';

describe('plural', () => {
  it('adds an s to every count but one', () => {
    expect([0, 1, 2].map((count) => plural(count, 'tenant'))).toEqual(['0 tenants', '1 tenant', '2 tenants']);
  });

  it('takes an irregular plural and groups digits', () => {
    expect(plural(1_234, 'entry', 'entries')).toBe('1,234 entries');
    expect(plural(1, 'chain has', 'chains have')).toBe('1 chain has');
  });
});

describe('numbers', () => {
  it('groups digits by thousands', () => {
    expect(formatNumber(1_234_567)).toBe('1,234,567');
  });

  it('shows one decimal of rates below ten', () => {
    expect([0.25, 9.94, 12.6].map(formatPerSecond)).toEqual(['0.3', '9.9', '13']);
  });

  it('never rounds a share above zero down to 0 %', () => {
    expect([0, 0.004, 0.126, 1].map(formatShare)).toEqual(['0 %', '< 1 %', '13 %', '100 %']);
  });

  it('switches from milliseconds to seconds at one second', () => {
    expect([140.4, 1_200].map(formatLatency)).toEqual(['140 ms', '1.2 s']);
  });
});
