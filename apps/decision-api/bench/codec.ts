// The codec of Envoy's messages against protobufjs: a request read, a response written.
import { parseArgs } from 'node:util';
import { decodeRequest, encodeResponse } from '#src/envoy/codec.js';
import { loadRequest, rlsType } from './grpc-load-messages.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, ms: { type: 'string', default: '1000' } },
});

const requestType = rlsType('RateLimitRequest');
const responseType = rlsType('RateLimitResponse');
const request = Buffer.from(requestType.encode(requestType.fromObject(loadRequest(7))).finish());

const response = {
  overallCode: 1,
  statuses: [
    {
      code: 1,
      currentLimit: { requestsPerUnit: 1000, unit: 3, name: 'hourly' },
      limitRemaining: 999,
      resetMs: 1_234_567,
    },
  ],
  responseHeaders: { 'RateLimit-Policy': '"hourly";q=1000;w=3600', RateLimit: '"hourly";r=999;t=1235' },
  metadata: {
    domain: 'bench',
    revision: 1,
    degraded: false,
    descriptors: [{ reason: 'WITHIN_LIMIT', limit: 'hourly', window: 3600 }],
  },
} as const;

/** The same message in the shapes of protobufjs. */
const message = responseType.fromObject(responseType.toObject(responseType.decode(encodeResponse(response))));

const CONTENDERS: Record<string, () => unknown> = {
  'ours, read': () => decodeRequest(request),
  'protobufjs, read': () => requestType.decode(request),
  'ours, write': () => encodeResponse(response, 5),
  'protobufjs, write': () => responseType.encode(message).finish(),
};

const best = new Map<string, number>();
for (let round = 0; round < Number(values.rounds) + 1; round++) {
  for (const [name, run] of Object.entries(CONTENDERS)) {
    const untilMs = performance.now() + Number(values.ms) / 4;
    const cpu = process.cpuUsage();
    let runs = 0;
    for (; performance.now() < untilMs; runs += 1000) for (let i = 0; i < 1000; i++) run();
    const { user, system } = process.cpuUsage(cpu);
    // The first round is for the compiler.
    if (round > 0)
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / runs));
  }
}
console.log('| | CPU |\n|---|---|');
for (const [name, us] of best) console.log(`| ${name} | ${us.toFixed(2)} µs |`);
