import { MAX_COST, outcomeSchema } from '@tollgate/contracts';
import fc from 'fast-check';
import { ALL_FLAGS, BlockBuilder, type TrafficBlock } from '../src/traffic/block.js';
import type { BlockEncoder } from '../src/traffic/block-encoder.js';

const NOW_US = 1_790_000_000_000_000;
const name = (prefix: string) => fc.nat(3).map((n) => `${prefix}${n}`);

/** A decision as requests and answers describe it. */
const decision = fc.record({
  afterUs: fc.oneof(fc.nat(50), fc.nat(2_000_000), fc.integer({ min: -2000, max: 0 })),
  tenant: name('tenant-'),
  subject: fc.option(
    fc.dictionary(
      fc.constantFrom('user', 'ip', 'region', 'constructor'),
      fc.oneof(name('u'), fc.ipV4(), fc.ipV6()),
    ),
    { nil: undefined },
  ),
  api: name('api-'),
  operation: fc.oneof(name('op'), fc.constant('no name')),
  cost: fc.oneof(fc.constant(1), fc.nat(MAX_COST)),
  outcome: fc.constantFrom(...outcomeSchema.options),
  flags: fc.nat(ALL_FLAGS),
  limit: fc.option(name('limit-')),
  revision: fc.nat(2 ** 31 - 1),
});

export type RecordedDecision = Omit<typeof decision extends fc.Arbitrary<infer T> ? T : never, 'afterUs'> & {
  atUs: number;
};

export const decisions = fc.array(decision, { maxLength: 60 }).map((list) => {
  let atUs = NOW_US;
  return list.map(({ afterUs, ...rest }): RecordedDecision => {
    atUs += afterUs;
    return { ...rest, atUs };
  });
});

export const HEADER = { node: 'n1', epoch: 'e1', sequence: 7, dropped: 0, resolutionUs: 1 };

export function blockOf(list: readonly RecordedDecision[], header = HEADER): TrafficBlock {
  const builder = new BlockBuilder();
  addAll(builder, list);
  return builder.build(header);
}

export function addAll(block: BlockBuilder | BlockEncoder, list: readonly RecordedDecision[]): void {
  for (const one of list) {
    block.add(
      one.atUs,
      block.subjectOf(one.tenant, one.subject),
      block.operationOf(one.api, one.operation),
      one.cost,
      block.verdictOf(one.outcome, one.flags, one.limit, one.revision),
    );
  }
}
