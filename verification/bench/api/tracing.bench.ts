// `POST /v1/limit`, strict, without tracing, with tracing off, and with tracing of no and of 1 % of the requests.
// Usage: pnpm bench tracing [--rounds 3] [--ms 2000] [--baseline ../checkout]; baseline: a built checkout of a version without
// tracing, which is then the first contender
import { startOtlpReceiver } from '@tollgate/test-kit';
import { readOptions } from '../measure.ts';
import type { Contender } from './http/contenders.ts';
import { Field } from './http/field.ts';
import { throughput } from './http/throughput.ts';

/** Each request has a `traceparent`; one of a hundred is sampled. */
const traceparent = (isSampled: (n: number) => boolean) => (n: number) => {
  const id = (n + 1).toString(16);
  return `traceparent: 00-${id.padStart(32, '0')}-${id.padStart(16, '0')}-0${isSampled(n) ? 1 : 0}\r\n`;
};

const { rounds, ms, baseline } = readOptions({ rounds: 3, ms: 2000, baseline: '' });
const field = await Field.open();
const receiver = await startOtlpReceiver();
try {
  const unsampled = field.single(
    'strict',
    traceparent(() => false),
  );
  const sampled = field.single(
    'strict',
    traceparent((n) => n % 100 === 0),
  );
  const off = await field.decisionApi(1);
  const on = await field.decisionApi(1, { ...receiver.env, OTEL_BSP_SCHEDULE_DELAY: '1000' });
  const contenders: Contender[] = [
    ...(baseline === ''
      ? []
      : [{ name: 'without the code', request: sampled, ...(await field.decisionApi(1, {}, baseline)) }]),
    { name: 'TRACING=off', request: sampled, ...off },
    { name: 'TRACING=otlp, none sampled', request: unsampled, ...on },
    { name: 'TRACING=otlp, 1 % sampled', request: sampled, ...on },
  ];
  await throughput('POST /v1/limit, tracing', contenders, rounds, ms, 1);
  console.log(`${receiver.spans.length} spans received`);
} finally {
  await field.close();
  await receiver.stop();
}
