import type { ApiRecord, LimitPolicy } from '@tollgate/contracts';

/** The operations that these tests protect. */
export const SHOP: ApiRecord = {
  key: 'shop',
  unknownOperations: 'count',
  operations: ['browse', 'checkout', 'pay', 'search', 'export', 'hold', 'call', 'minute'].map((name) => ({
    name,
    cost: 1,
  })),
};

/** Every operation counts, registered or not. */
export const WHOLE: ApiRecord = {
  key: 'whole',
  unknownOperations: 'count',
  operations: [{ name: 'create', cost: 1 }],
};

/** That of the examples, as in the demo data. */
export const SHORTENER: ApiRecord = {
  key: 'url-shortener',
  unknownOperations: 'count',
  operations: [{ name: 'createURL', cost: 1 }],
};

const common = { api: 'shop', onUnavailable: 'share' as const };
const anHour = { algorithm: 'fixed_window', windowMs: 3_600_000, alignment: 'first_request' } as const;

/** No window ends within a test. */
export const LIMITS: LimitPolicy[] = [
  { ...common, ...anHour, name: 'browse-hour', operations: ['browse'], per: ['ip'], limit: 3 },
  {
    ...common,
    ...anHour,
    name: 'checkout-hour',
    operations: ['checkout'],
    per: ['user'],
    onMissing: 'refuse',
    limit: 5,
  },
  { ...common, ...anHour, name: 'search-hour', operations: ['search'], per: ['client'], limit: 3 },
  {
    ...common,
    ...anHour,
    name: 'minute',
    operations: ['minute'],
    per: ['client'],
    limit: 1,
    windowMs: 60_000,
  },
  {
    ...common,
    ...anHour,
    name: 'pay-hour',
    operations: ['pay'],
    per: ['user'],
    limit: 2,
    charge: 'on_failure',
  },
  {
    ...common,
    name: 'export-pace',
    operations: ['export'],
    per: ['user'],
    algorithm: 'leaky_bucket',
    limit: 1200,
    windowMs: 60_000,
    queue: 10,
  },
  {
    ...common,
    name: 'hold-slots',
    operations: ['hold'],
    per: ['user'],
    algorithm: 'concurrency',
    limit: 2,
    leaseMs: 60_000,
  },
  {
    ...common,
    name: 'call-slots',
    operations: ['call'],
    per: ['user'],
    algorithm: 'concurrency',
    limit: 2,
    leaseMs: 3_600_000,
  },
  { ...common, ...anHour, name: 'call-hour', operations: ['call'], per: ['user'], limit: 10 },
  { ...common, ...anHour, name: 'everything', api: 'whole', operations: [], per: [], limit: 1 },
  {
    ...common,
    ...anHour,
    name: 'create-hour',
    api: 'url-shortener',
    operations: ['createURL'],
    per: [],
    limit: 3,
  },
];
