import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { periodAt } from '@tollgate/limiter/algorithms';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../src/platform/log.js';
import { platformModule } from '../src/platform/platform.module.js';
import { readDemoData } from '../src/setup/demo-data.js';
import { DemoReplay } from '../src/setup/demo-replay.js';
import { DemoSeed } from '../src/setup/demo-seed.js';
import { TRAFFIC_SEED } from '../src/setup/demo-traffic.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY_DAYS = 6;

interface Count {
  count: number;
  denied: number;
  degraded: number;
}
type Point = Count & { at: string; units: number };

const demo = readDemoData();
const tenants = Object.keys(demo.tenants);
let app: TestApp;
let setup: INestApplicationContext;
/** Start of the current hour. */
let hour: number;

beforeAll(async () => {
  console.log(`seed of the demo's traffic: ${TRAFFIC_SEED}`);
  app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true', WORKER: 'separate' });
  @Module({ imports: [platformModule(app.config, createLogger(app.config)), SetupModule] })
  class Setup {}
  setup = await NestFactory.createApplicationContext(Setup, { logger: false });
  await setup.get(DemoSeed, { strict: false }).run(demo, 'correct horse');
  await setup.get(DemoReplay, { strict: false }).run(demo, HISTORY_DAYS);
  hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
});
afterAll(async () => {
  await setup?.close();
  await app?.stop();
});

async function ask(query: string, variables: object = {}) {
  const { data, errors } = await app.graphql(query, variables);
  expect(errors).toEqual([]);
  return data;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Usage of a tenant; `outcomes` are the totals by outcome. */
async function usageOf(
  tenantKey: string,
  interval: 'MINUTE' | 'HOUR' | 'DAY',
  from: number,
  to: number,
  filter: { apiKey?: string; operation?: string; limitName?: string } = {},
) {
  const { usage } = await ask(
    `query ($tenantKey: String!, $interval: UsageInterval!, $from: DateTime!, $to: DateTime!, $apiKey: String, $operation: String, $limitName: String) {
      usage(tenantKey: $tenantKey, interval: $interval, from: $from, to: $to, apiKey: $apiKey, operation: $operation, limitName: $limitName, groupBy: [OUTCOME]) {
        total { count denied degraded units }
        series { outcome total { count units } points { at count denied degraded units } }
      }
    }`,
    { tenantKey, interval, from: iso(from), to: iso(to), ...filter },
  );
  const series = usage.series as {
    outcome: string;
    total: { count: number; units: number };
    points: Point[];
  }[];
  const isDenied = ({ outcome }: { outcome: string }) => /^(POOL_|DEGRADED_)?DENIED$/.test(outcome);
  const points = series.flatMap((one) => one.points);
  const allowed = series.filter((one) => !isDenied(one)).flatMap((one) => one.points);
  return { total: usage.total as Count, series, points: byTime(points), allowed: byTime(allowed) };
}

/** Sums by time of `count` and `units`. */
function byTime(points: readonly Point[]): Map<string, { count: number; units: number }> {
  const sums = new Map<string, { count: number; units: number }>();
  for (const { at, count, units } of points) {
    const sum = sums.get(at) ?? { count: 0, units: 0 };
    sums.set(at, { count: sum.count + count, units: sum.units + units });
  }
  return sums;
}

const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, number) => sum + number, 0);

describe('the decisions of the last 24 hours', () => {
  it('are the same over all tenants, per tenant, per outcome and over time', async () => {
    const range = { from: iso(hour - DAY_MS), to: iso(hour) };
    const { traffic, usageTop } = await ask(
      `query ($from: DateTime!, $to: DateTime!) {
        traffic(from: $from, to: $to) { total { count denied degraded } points { count denied degraded } }
        usageTop(from: $from, to: $to, first: 100) { tenantKey count denied degraded }
      }`,
      range,
    );
    const total = traffic.total as Count;
    expect(total.count).toBeGreaterThan(10_000);
    expect(total.denied).toBeGreaterThan(100);
    expect(total.degraded).toBeGreaterThan(0);
    for (const key of ['count', 'denied', 'degraded'] as const) {
      expect(sumOf(traffic.points.map((point: Count) => point[key])), key).toBe(total[key]);
      expect(sumOf(usageTop.map((tenant: Count) => tenant[key])), key).toBe(total[key]);
    }
    for (const tenant of usageTop as (Count & { tenantKey: string })[]) {
      const { series, ...usage } = await usageOf(tenant.tenantKey, 'HOUR', hour - DAY_MS, hour);
      const { count, denied, degraded } = tenant;
      expect(usage.total, tenant.tenantKey).toMatchObject({ count, denied, degraded });
      const isAllowed = ({ outcome }: { outcome: string }) =>
        /^(ALLOWED|NO_LIMIT|SHADOW_DENIED|OVER_LIMIT)$/.test(outcome);
      const allowed = sumOf(series.filter(isAllowed).map((one) => one.total.count));
      expect(allowed + degraded + denied, tenant.tenantKey).toBe(count);
    }
  });

  it('are none for the tenant without requests', async () => {
    expect((await usageOf('vandelay', 'DAY', hour - DAY_MS, hour)).total.count).toBe(0);
  });
});

describe.each(tenants)('usage of %s', (tenantKey) => {
  it('is per day the sum of its hours, and per hour the sum of its minutes', async () => {
    const days = await usageOf(tenantKey, 'DAY', hour - 3 * DAY_MS, hour);
    // The second day, which has 23 to 25 hours.
    const [day, next] = [...days.points.keys()].sort().slice(1);
    if (day === undefined || next === undefined) return; // without requests
    const hours = await usageOf(tenantKey, 'HOUR', Date.parse(day), Date.parse(next));
    expect(sumOf([...hours.points.values()].map(({ count }) => count))).toBe(days.points.get(day)?.count);
    const recent = await usageOf(tenantKey, 'HOUR', hour - DAY_MS, hour);
    const minutes = await usageOf(tenantKey, 'MINUTE', hour - DAY_MS, hour);
    expect(minutes.total).toEqual(recent.total);
  });

  it('has a busiest minute within the busiest hour', async () => {
    const { usageSummary } = await ask(
      'query ($key: String!) { usageSummary(tenantKey: $key) { peakMinute { count } peakDay { count } } }',
      { key: tenantKey },
    );
    const peakMinute: number = usageSummary.peakMinute?.count ?? 0;
    const hours = await usageOf(tenantKey, 'HOUR', hour - 25 * HOUR_MS, Date.now());
    const peakHour = Math.max(0, ...[...hours.points.values()].map(({ count }) => count));
    expect(peakMinute).toBeLessThanOrEqual(peakHour);
    expect(peakHour).toBeLessThanOrEqual(Math.max(peakHour, usageSummary.peakDay?.count ?? 0));
    if (peakHour > 20) expect(peakMinute).toBeLessThan(peakHour);
  });
});

interface Window {
  interval: 'MINUTE' | 'HOUR';
  windowMs: number;
  /** Used in one window, at least, if requests were denied. Default: the limit. */
  least?: number;
}

describe('usage of a hard limit', () => {
  const links = 'url-shortener';
  const minute = { interval: 'MINUTE', windowMs: 60_000 } as const;
  // A denial means that the last minute was full, which can be in two minutes of the clock.
  const slidingMinute = { ...minute, least: 15 };
  const utcDay = { interval: 'HOUR', windowMs: DAY_MS } as const;

  it.each([
    ['hooli', links, 'createURL', 240, minute],
    // Its limit was 150 before its boost.
    ['northwind', links, 'createURL', 180, { ...minute, least: 150 }],
    ['stark', links, 'createURL', 240, minute],
    ['tyrell', links, 'createURL', 150, minute],
    ['initech', links, 'createURL', 10, minute],
    ['acme', links, 'createURL', 10, minute],
    ['globex', links, 'getURL', 100, utcDay],
    ['soylent', links, 'getURL', 100, utcDay],
    ['initech', links, 'getURL', 100, utcDay],
    ['sirius', 'payments', 'payOut', 30, slidingMinute],
  ])('of %s, %s %s, never exceeds %i', async (tenantKey, apiKey, operation, limit, window: Window) => {
    const { interval, windowMs, least = limit } = window;
    const sinceMs = hour - (interval === 'MINUTE' ? 23 * HOUR_MS : 5 * DAY_MS);
    const from = Math.floor(sinceMs / windowMs) * windowMs;
    const { allowed, total } = await usageOf(tenantKey, interval, from, Date.now(), { apiKey, operation });
    const windows = new Map<number, number>();
    for (const [at, { units }] of allowed) {
      const number = Math.floor(Date.parse(at) / windowMs);
      windows.set(number, (windows.get(number) ?? 0) + units);
    }
    const most = Math.max(...windows.values());
    expect(most).toBeLessThanOrEqual(limit);
    if (total.denied > 0) expect(most).toBeGreaterThanOrEqual(least);
  });
});

describe('a quota', () => {
  it.each(['planet-express', 'sirius'])('of %s is used as far as its period was charged', async (key) => {
    const { limitUtilization, tenant } = await ask(
      `query ($key: String!) {
        limitUtilization(tenantKey: $key) { apiKey limitName period per limit used }
        tenant(key: $key) { timeZone billingAnchorDay effectiveLimits { limit { apiKey name operations } } }
      }`,
      { key },
    );
    const used = [];
    for (const quota of limitUtilization) {
      const { apiKey, limitName, period, per, limit } = quota;
      if (period === null || per.length > 0) continue;
      expect(quota.used, limitName).toBeLessThanOrEqual(limit);
      const { operations } = tenant.effectiveLimits
        .map((one: { limit: object }) => one.limit)
        .find((one: { apiKey: string; name: string }) => one.apiKey === apiKey && one.name === limitName);
      const { startMs } = periodAt(
        period.toLowerCase(),
        tenant.timeZone,
        tenant.billingAnchorDay,
        Date.now(),
      );
      const from = Math.max(startMs, hour - (HISTORY_DAYS + 1) * DAY_MS);
      let units = 0;
      for (const operation of operations as string[]) {
        const { allowed } = await usageOf(key, 'DAY', from, Date.now(), { apiKey, operation });
        units += sumOf([...allowed.values()].map((point) => point.units));
      }
      expect(quota.used, limitName).toBe(units);
      used.push(units);
    }
    expect(sumOf(used)).toBeGreaterThan(0);
  });
});

describe('the events of a limit', () => {
  it.each([
    ['hooli', 'url-shortener', 'create-minute'],
    ['northwind', 'url-shortener', 'create-minute'],
  ])('of %s, %s %s, count the denials that usage counts', async (tenantKey, apiKey, limitName) => {
    const from = hour - HISTORY_DAYS * DAY_MS;
    const { limitOffenders, limitCrossings } = await ask(
      `query ($tenantKey: String!, $from: DateTime!, $apiKey: String) {
        limitOffenders(tenantKey: $tenantKey, from: $from, first: 50) { limitName units }
        limitCrossings(tenantKey: $tenantKey, apiKey: $apiKey, first: 50) { edges { node { limitName percent used capacity } } }
      }`,
      { tenantKey, apiKey, from: iso(from) },
    );
    const { total } = await usageOf(tenantKey, 'HOUR', from, Date.now(), { apiKey, limitName });
    const offenders = limitOffenders.filter((one: { limitName: string }) => one.limitName === limitName);
    expect(sumOf(offenders.map(({ units }: { units: number }) => units))).toBe(total.denied);
    expect(total.denied).toBeGreaterThan(0);
    const crossings = limitCrossings.edges.map(({ node }: { node: { percent: number } }) => node);
    expect(crossings).toContainEqual(expect.objectContaining({ limitName, percent: 100 }));
  });
});

describe('the money of the demo', () => {
  it('is booked for each payment, and one invoice is open', async () => {
    const { purchases, invoices } = await ask(`{
      purchases(first: 50) { edges { node {
        label status amountMinor quantity
        payments { amountMinor status } moneyEntries { account amountMinor }
        offer { priceMinor }
      } } }
      invoices(first: 50) { edges { node { status amountMinor purchase { status amountMinor moneyEntries { id } } } } }
    }`);
    const nodes = purchases.edges.map(({ node }: { node: object }) => node);
    expect(nodes).toHaveLength(demo.purchases.length);
    for (const { label, payments, moneyEntries, amountMinor } of nodes) {
      const paid = sumOf(payments.map((payment: { amountMinor: number }) => payment.amountMinor));
      const booked = (account: string) =>
        sumOf(
          moneyEntries
            .filter((entry: { account: string }) => entry.account === account)
            .map((entry: { amountMinor: string }) => Number(entry.amountMinor)),
        );
      expect(booked('CASH'), label).toBe(paid);
      expect(paid + booked('REVENUE'), label).toBe(0);
      expect(paid % amountMinor, label).toBe(0);
    }
    expect(invoices.edges.map(({ node }: { node: object }) => node)).toEqual([
      {
        status: 'OPEN',
        amountMinor: 120_000,
        purchase: { status: 'PENDING', amountMinor: 120_000, moneyEntries: [] },
      },
    ]);
  });

  it('is the same as recurring revenue, active subscriptions and paid renewals', async () => {
    const { revenue, purchases } = await ask(`{
      revenue { currency monthlyMinor failedRenewals failedMinor receivedMinor offers { offerKey purchases monthlyMinor } }
      purchases(first: 50) { edges { node {
        status renews interval amountMinor currency paidThrough offer { key }
        payments { at amountMinor status refundedMinor disputedMinor }
      } } }
    }`);
    type Node = {
      status: string;
      renews: boolean;
      interval: 'MONTH' | 'YEAR' | null;
      amountMinor: number;
      offer: { key: string };
      payments: { at: string; amountMinor: number }[];
    };
    const nodes: Node[] = purchases.edges.map(({ node }: { node: Node }) => node);
    const subscriptions = nodes.filter(({ status, renews }) => renews && /^(ACTIVE|PAST_DUE)$/.test(status));
    const monthly = ({ amountMinor, interval }: Node) =>
      interval === 'YEAR' ? Math.round(amountMinor / 12) : amountMinor;
    expect(revenue).toHaveLength(1);
    const [{ monthlyMinor, failedRenewals, failedMinor, receivedMinor, offers }] = revenue;
    expect(monthlyMinor).toBe(sumOf(subscriptions.map(monthly)));
    for (const offer of offers) {
      const own = subscriptions.filter(({ offer: { key } }) => key === offer.offerKey);
      expect([offer.purchases, offer.monthlyMinor], offer.offerKey).toEqual([
        own.length,
        sumOf(own.map(monthly)),
      ]);
    }
    const overdue = subscriptions.filter(({ status }) => status === 'PAST_DUE');
    expect([failedRenewals, failedMinor]).toEqual([
      overdue.length,
      sumOf(overdue.map((one) => one.amountMinor)),
    ]);
    // Every subscription that is not past due has paid the period that runs now, at its price.
    const sinceMs = Date.now() - 31 * DAY_MS;
    for (const { status, payments, amountMinor, offer } of subscriptions) {
      const recent = payments.filter(({ at }) => Date.parse(at) >= sinceMs);
      const paid = recent.map((payment) => payment.amountMinor);
      if (status === 'ACTIVE') expect(new Set(paid), offer.key).toEqual(new Set([amountMinor]));
    }
    const since30 = Date.now() - 30 * DAY_MS;
    const received = nodes.flatMap(({ payments }) => payments).filter(({ at }) => Date.parse(at) >= since30);
    expect(receivedMinor).toBe(sumOf(received.map((payment) => payment.amountMinor)));
  });

  it('has a busiest minute on each day of requests, with the denials that usage counts', async () => {
    const { limitHistory } = await ask(
      'query ($key: String!) { limitHistory(tenantKey: $key) { apiKey limitName measure days { at used denied } } }',
      { key: 'northwind' },
    );
    const limit = limitHistory.find((one: { limitName: string }) => one.limitName === 'create-minute');
    expect(limit.measure).toBe('BUSIEST_MINUTE');
    const days = limit.days.slice(-HISTORY_DAYS) as { at: string; used: number; denied: number }[];
    // Shortly after midnight, today has none yet.
    expect(days.slice(0, -1).filter(({ used }) => used > 0)).toHaveLength(HISTORY_DAYS - 1);
    const usage = await usageOf('northwind', 'DAY', Date.parse(days[0]?.at ?? ''), Date.now(), {
      ...{ apiKey: 'url-shortener', limitName: 'create-minute' },
    });
    expect(sumOf(days.map(({ denied }) => denied))).toBe(usage.total.denied);
  });
});
