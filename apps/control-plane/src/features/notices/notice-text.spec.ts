import { describe, expect, it } from 'vitest';
import { NOTICE_KINDS } from '../../platform/changes/notice-kinds.js';
import { detailsOf, EVENT_KINDS, titleOf } from './notice-text.js';

describe('the text of a notice', () => {
  it('says what happened to what', () => {
    expect(titleOf('limit.near', { limit: 'per-minute', api: 'shop', percent: 80 })).toBe(
      'Limit per-minute of shop is at 80 %',
    );
  });

  it('leaves out what its data lacks, and takes no field for a template', () => {
    expect(titleOf('purchase.paid', {})).toBe('Paid:');
    expect(titleOf('purchase.paid', { offer: '{tenant} $& $1' })).toBe('Paid: {tenant} $& $1');
  });

  it('names a kind that this version does not know', () => {
    expect(titleOf('something.new', { a: 1 })).toBe('something.new');
  });

  it('lists the fields in words, nested ones left out', () => {
    expect(detailsOf({ periodEnd: '2026-12-01', amountMinor: 500, nested: { a: 1 }, none: null })).toEqual([
      'Period end: 2026-12-01',
      'Amount minor: 500',
    ]);
  });

  it('kinds are types of events as Standard Webhooks has them', () => {
    for (const kind of Object.keys(NOTICE_KINDS)) expect(kind).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
    expect(EVENT_KINDS).toContain('purchase.paid');
    expect(EVENT_KINDS).not.toContain('member.invited');
  });
});
