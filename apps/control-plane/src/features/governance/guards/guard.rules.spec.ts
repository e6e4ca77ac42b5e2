import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Evidence, isOver, judge, type TenantCounts, windowAt } from './guard.rules.js';

const TERMS = { maxDenialRise: 1, minDecisions: 100 };
const publishedAt = new Date('2026-11-20T10:00:30Z');
const endsAt = new Date('2026-11-20T10:30:30Z');
const at = (time: string) => new Date(`2026-11-20T${time}Z`);
const activeFrom = at('10:00:31');
const window = windowAt({ publishedAt, endsAt, activeFrom }, at('10:06:00'));

const counts = (decisions: number, denied: number, degraded = 0) => ({ decisions, denied, degraded });

const tenant = (
  before: [number, number],
  after: [number, number],
  more: Partial<TenantCounts> = {},
): TenantCounts => ({
  ...{ tenantKey: 'acme', isPinned: false, before: counts(...before), after: counts(...after) },
  ...more,
});

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  nodes: { total: 2, current: 2 },
  silentNodes: 0,
  unreadSince: null,
  missingFrames: 0,
  window,
  tenants: [tenant([1000, 10], [1000, 60])],
  ...more,
});

describe('the window of a guard', () => {
  it('has whole minutes after all nodes acknowledged, and as many before the publication', () => {
    expect(window).toEqual({
      ...{ from: at('10:01:00'), to: at('10:05:00'), isComplete: false },
      ...{ baselineFrom: at('09:56:00'), baselineTo: at('10:00:00') },
    });
  });

  it('begins after the first whole minute and ends with the guard', () => {
    const terms = { publishedAt, endsAt, activeFrom };
    expect(windowAt({ ...terms, activeFrom: null }, at('10:20:00'))).toBeUndefined();
    expect(windowAt(terms, at('10:02:09'))).toBeUndefined();
    expect(windowAt(terms, at('10:02:10'))).toMatchObject({ to: at('10:02:00') });
    expect(windowAt(terms, at('11:00:00'))).toMatchObject({ to: at('10:30:00'), isComplete: true });
  });
});

describe('judging a publication', () => {
  it('compares each tenant with its own baseline', () => {
    const verdict = judge(TERMS, evidence());
    expect(verdict.kind).toBe('exceeded');
    expect(verdict.figures?.affected).toMatchObject({ tenants: 1, decisions: 1000, before: 1, after: 6 });
    expect(verdict.figures?.worst).toMatchObject([{ tenantKey: 'acme', before: 1, after: 6 }]);
    expect(judge({ ...TERMS, maxDenialRise: 5.01 }, evidence()).kind).toBe('within');
  });

  it('sees no rise where a tenant with many denials sends a larger part of the traffic', () => {
    const tenants = [tenant([1000, 500], [9000, 4500]), tenant([9000, 0], [1000, 0], { tenantKey: 'b' })];
    expect(judge(TERMS, evidence({ tenants })).figures).toMatchObject({ excess: 0 });
  });

  it('omits tenants without a baseline', () => {
    const fresh = tenant([0, 0], [5000, 5000], { tenantKey: 'new' });
    const verdict = judge(TERMS, evidence({ tenants: [tenant([1000, 10], [1000, 10]), fresh] }));
    expect(verdict).toMatchObject({ kind: 'within', figures: { excess: 0, affected: { tenants: 1 } } });
  });

  it('subtracts the rise of pinned tenants, never their fall', () => {
    const pinned = (denied: number) =>
      tenant([1000, 40], [1000, denied], { tenantKey: 'held', isPinned: true });
    const withPinned = (denied: number) =>
      judge(TERMS, evidence({ tenants: [tenant([1000, 10], [1000, 60]), pinned(denied)] }));
    expect(withPinned(85)).toMatchObject({ kind: 'within', figures: { pinned: { rise: 4.5 } } });
    expect(withPinned(10).figures?.excess).toBeCloseTo(5);
  });

  it.each<[string, Partial<Evidence>, string]>([
    ['nothing is published', { nodes: null }, 'NOT_PUBLISHED'],
    ['no node reports', { nodes: { total: 0, current: 0 } }, 'NODES_NOT_ACKNOWLEDGED'],
    ['a node uses another revision', { nodes: { total: 3, current: 2 } }, 'NODES_NOT_ACKNOWLEDGED'],
    ['a node stopped reporting', { silentNodes: 1 }, 'NODES_SILENT'],
    ['usage frames are missing', { missingFrames: 1 }, 'USAGE_MISSING'],
    ['usage is not counted yet', { unreadSince: at('10:05:05') }, 'USAGE_DELAYED'],
    ['no minute has ended', { window: undefined }, 'TOO_FEW_DECISIONS'],
    ['there are too few decisions', { tenants: [tenant([99, 0], [99, 99])] }, 'TOO_FEW_DECISIONS'],
    [
      'Redis was unavailable',
      { tenants: [tenant([1000, 10], [1000, 60], { before: counts(1000, 10, 100) })] },
      'REDIS_UNAVAILABLE',
    ],
    [
      'pinned tenants sent too little',
      { tenants: [tenant([1000, 10], [1000, 60]), tenant([99, 0], [99, 0], { isPinned: true })] },
      'TOO_FEW_PINNED',
    ],
  ])('is undecided if %s', (_, more, obstacle) => {
    expect(judge(TERMS, evidence(more))).toMatchObject({ kind: 'undecided', obstacle });
  });

  it('names the reason if every tenant with requests is pinned', () => {
    const tenants = [tenant([1000, 10], [1000, 60], { isPinned: true })];
    expect(judge(TERMS, evidence({ tenants }))).toMatchObject({
      obstacle: 'TOO_FEW_DECISIONS',
      message: expect.stringContaining('pinned to an earlier version'),
    });
  });

  it('decides although frames after the window are not counted yet', () => {
    expect(judge(TERMS, evidence({ unreadSince: at('10:05:10') })).kind).toBe('exceeded');
  });

  it('never decides on missing data, and never reverts below the threshold', () => {
    const count = fc
      .record({ decisions: fc.nat(500), denied: fc.nat(500), degraded: fc.nat(20) })
      .map((all) => ({ ...all, denied: Math.min(all.denied, all.decisions) }));
    const tenants = fc.array(
      fc.record({
        tenantKey: fc.constantFrom('a', 'b', 'c'),
        isPinned: fc.boolean(),
        before: count,
        after: count,
      }),
      { maxLength: 6 },
    );
    // Mostly complete, because each missing part alone prevents a decision.
    const mostly = <T>(usual: T, other: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
    const nodes = fc.option(fc.record({ total: fc.nat(3), current: fc.nat(3) }));
    const some = fc.record({
      nodes: mostly<{ total: number; current: number } | null>({ total: 2, current: 2 }, nodes),
      silentNodes: mostly(0, fc.nat(2)),
      unreadSince: fc.option(fc.constantFrom(at('10:04:00'), at('10:05:09'), at('10:05:10'))),
      missingFrames: mostly(0, fc.nat(2)),
      window: fc.constantFrom(window, window, undefined),
      tenants,
    });
    const terms = fc.record({
      maxDenialRise: fc.double({ min: 0.1, max: 100, noNaN: true }),
      minDecisions: fc.integer({ min: 10, max: 400 }),
    });
    let decided = 0;
    fc.assert(
      fc.property(terms, some, (asked, given) => {
        const verdict = judge(asked, given);
        if (verdict.kind === 'undecided') return;
        decided++;
        const { nodes, silentNodes, unreadSince, missingFrames } = given;
        expect([nodes !== null && nodes.total > 0 && nodes.current >= nodes.total, silentNodes]).toEqual([
          true,
          0,
        ]);
        expect([missingFrames, given.window]).toEqual([0, window]);
        expect(unreadSince === null || unreadSince >= at('10:05:10')).toBe(true);
        const { affected, pinned, excess } = verdict.figures;
        expect(Math.min(affected.decisions, pinned?.decisions ?? asked.minDecisions)).toBeGreaterThanOrEqual(
          asked.minDecisions,
        );
        expect(verdict.kind === 'exceeded').toBe(excess > asked.maxDenialRise);
      }),
      { numRuns: 3000 },
    );
    expect(decided).toBeGreaterThan(20);
  });
});

describe('the end of a guard', () => {
  const undecided = (more: Partial<Evidence>) => judge(TERMS, evidence(more));

  it('awaits nodes and frames for five minutes, and more decisions not at all', () => {
    const delayed = undecided({ unreadSince: at('10:04:00') });
    const tooFew = undecided({ tenants: [] });
    expect([delayed, tooFew].map((verdict) => isOver(endsAt, verdict, at('10:31:39')))).toEqual([
      false,
      false,
    ]);
    expect([delayed, tooFew].map((verdict) => isOver(endsAt, verdict, at('10:31:40')))).toEqual([
      false,
      true,
    ]);
    expect([delayed, tooFew].map((verdict) => isOver(endsAt, verdict, at('10:35:30')))).toEqual([true, true]);
  });
});
