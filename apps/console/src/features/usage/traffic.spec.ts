import { expect, it } from 'vitest';
import type { Traffic } from './api.js';
import { denialRise, publicationMarks, trafficFigure } from './traffic.js';

const FROM = Date.parse('2026-11-22T10:00:00Z');
const STEP_MS = 900_000;
const at = (index: number) => new Date(FROM + index * STEP_MS).toISOString();
const count = (decisions: number, denied = 0, degraded = 0) => ({
  ...{ count: decisions, denied, degraded, units: decisions },
});

function trafficOf(denials: readonly number[], more: Partial<Traffic> = {}): Traffic {
  const points = denials.map((denied, index) => ({
    at: at(index),
    ...count(100, denied),
    p50Ms: 1,
    p99Ms: 2,
  }));
  const denied = denials.reduce((sum, one) => sum + one, 0);
  return {
    ...{ from: at(0), to: at(denials.length), stepMs: STEP_MS, p50Ms: 1, p99Ms: 2, points, publications: [] },
    ...{ total: count(denials.length * 100, denied), previousTotal: count(denials.length * 100, 10) },
    previousPoints: [],
    ...more,
  };
}

const published = (index: number, tierName = 'Free') => ({
  ...{ tierKey: tierName.toLowerCase(), tierName, number: 2, at: at(index) },
});

it('stacks outcomes that add up to all decisions and lays the period before over them', () => {
  const traffic = trafficOf([0, 3], {
    points: [{ at: at(1), ...count(100, 3, 4), p50Ms: 1, p99Ms: 2 }],
    previousPoints: [{ at: at(-2), ...count(7) }],
    total: count(100, 3, 4),
  });
  const { series, ghost, times } = trafficFigure(traffic, 'UTC', 'Previous day');
  expect(times).toHaveLength(2);
  expect(series.map(({ name, values, total }) => [name, values, total])).toEqual([
    ['Denied', [0, 3], 3],
    ['Degraded', [0, 4], 4],
    ['Allowed', [0, 93], 93],
  ]);
  expect(ghost?.values).toEqual([7, 0]);
});

it('merges labels of publications that would overlap', () => {
  const traffic = trafficOf(Array(96).fill(0), {
    publications: [published(10), published(12, 'Pro'), published(60)],
  });
  const marks = publicationMarks(trafficFigure(traffic, 'UTC', undefined), traffic.publications);
  expect(marks.map(({ publications }) => publications.map(({ tierName }) => tierName))).toEqual([
    ['Free', 'Pro'],
    ['Free'],
  ]);
});

it('names the publication after which denials rose', () => {
  const denials = [...Array<number>(10).fill(1), ...Array<number>(10).fill(20)];
  const traffic = trafficOf(denials, { publications: [published(4, 'Pro'), published(10)] });
  expect(denialRise(traffic)).toEqual({ factor: 21, cause: traffic.publications[1] });
});

it('ignores few denials and a rise in proportion to the traffic', () => {
  expect(denialRise(trafficOf([10]))).toBeUndefined();
  expect(denialRise(trafficOf([30], { previousTotal: count(30, 10) }))).toBeUndefined();
  expect(denialRise(trafficOf([30], { previousTotal: count(0) }))).toBeUndefined();
});
