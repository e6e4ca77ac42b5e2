import { describe, expect, it } from 'vitest';
import {
  addFrames,
  type DecisionFrame,
  describeSeries,
  hasDecisions,
  knownSeconds,
  mostDenied,
  seriesOf,
  totalsByApi,
  WINDOW_SECONDS,
} from './decision-window.js';

/** The frame that counts `second`: it ends where the next one begins. */
const frame = (second: number, allowed: number, denied = 0, api = 'search'): DecisionFrame => ({
  atMs: (second + 1) * 1_000,
  apis: [{ api, allowed, denied }],
  mostDenied: denied > 0 ? [{ tenant: 'acme', denied }] : [],
  nodes: 2,
});

describe('addFrames', () => {
  it('counts a repeated frame once', () => {
    const window = addFrames(addFrames([], [frame(1, 5), frame(2, 7)]), [frame(2, 7), frame(3, 1)]);
    expect(seriesOf(window, { api: undefined, endSecond: 3, seconds: 3 }).allowed).toEqual([5, 7, 1]);
  });

  it('orders late frames', () => {
    const window = addFrames(addFrames([], [frame(3, 3)]), [frame(1, 1)]);
    expect(window.map(({ atMs }) => atMs)).toEqual([2_000, 4_000]);
  });

  it('drops frames older than the window', () => {
    const window = addFrames([frame(1, 1), frame(2, 1)], [frame(1 + WINDOW_SECONDS, 1)]);
    expect(window.map(({ atMs }) => atMs / 1_000)).toEqual([3, 2 + WINDOW_SECONDS]);
  });
});

describe('series', () => {
  it('shows a second without a frame as zero', () => {
    const series = seriesOf([frame(10, 4, 1), frame(12, 6)], { api: undefined, endSecond: 13, seconds: 5 });
    expect(series).toEqual({
      seconds: [9, 10, 11, 12, 13],
      allowed: [0, 4, 0, 6, 0],
      denied: [0, 1, 0, 0, 0],
    });
  });

  it('sums two frames of one second by API', () => {
    const window = addFrames(
      [],
      [frame(5, 1), { ...frame(5, 2), atMs: 5_400 }, { ...frame(5, 9, 0, 'mail'), atMs: 5_800 }],
    );
    expect(seriesOf(window, { api: 'search', endSecond: 5, seconds: 1 }).allowed).toEqual([3]);
    expect(seriesOf(window, { api: undefined, endSecond: 5, seconds: 1 }).allowed).toEqual([12]);
  });
});

describe('totals', () => {
  it('lists quiet APIs at zero and the busiest first', () => {
    const window = [frame(1, 50, 0, 'mail'), frame(100, 2, 1), frame(101, 9, 0, 'url-shortener')];
    expect(totalsByApi(window, 101, 60)).toEqual([
      { api: 'url-shortener', allowed: 9, denied: 0 },
      { api: 'search', allowed: 2, denied: 1 },
      { api: 'mail', allowed: 0, denied: 0 },
    ]);
  });

  it('reads the most denied tenants from the latest frame and ignores old frames', () => {
    const window = [frame(99, 0, 3), frame(100, 0, 4), frame(101, 0, 9)];
    expect(mostDenied(window, 100)).toEqual([{ tenant: 'acme', denied: 4 }]);
    expect(mostDenied(window, 161)).toEqual([]);
    expect(mostDenied([], 100)).toEqual([]);
  });
});

describe('knownSeconds', () => {
  it('grows with the known seconds within its bounds', () => {
    const bounds = { atLeast: 60, atMost: 240 };
    expect(
      [[], [frame(41, 1)], [frame(1, 1)], [frame(-900, 1)]].map((w) => knownSeconds(w, 120, bounds)),
    ).toEqual([60, 80, 120, 240]);
  });

  it('counts seconds without decisions', () => {
    expect(hasDecisions([{ ...frame(1, 1), apis: [] }])).toBe(false);
    expect(hasDecisions([frame(1, 1)])).toBe(true);
  });
});

describe('describeSeries', () => {
  it('contains totals, share and peak', () => {
    const series = seriesOf([frame(1, 30), frame(2, 50, 20)], { api: undefined, endSecond: 2, seconds: 2 });
    expect(describeSeries(series, 'All APIs')).toBe(
      'All APIs, last 2 seconds: 80 allowed, 20 denied (20.0 %), peak 70 per second.',
    );
  });

  it('reports that there were no decisions', () => {
    const series = seriesOf([], { api: undefined, endSecond: 60, seconds: 60 });
    expect(describeSeries(series, 'All APIs')).toBe('No decisions for All APIs in the last 60 seconds.');
  });
});
