import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { encodeBlock, packBlock, unpackBlock } from '@tollgate/decision-plane/internals';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { createTenants } from '../../../../test/support/usage-frames.js';
import { Database } from '../../../platform/prisma/database.js';
import { RecordingModule } from '../usage.modules.js';
import { type NewBlock, type RecordingRange, TrafficBlocksRepository } from './traffic-blocks.repository.js';

const START_US = Math.floor(Date.now() / 3_600_000) * 3_600_000_000;
const SECOND_US = 1_000_000;

let services: TestServices;
let owner: PrismaClient;
let database: Database;
let blocks: TrafficBlocksRepository;
let ids: Record<string, string>;

beforeAll(async () => {
  services = await startTestServices([RecordingModule]);
  owner = createPrismaClient(services.ownerUrl, { max: 2 });
  database = services.context.get(Database);
  blocks = services.context.get(TrafficBlocksRepository, { strict: false });
  ids = await createTenants(owner, { acme: 'UTC', globex: 'UTC' });
});
afterAll(async () => {
  await owner?.$disconnect();
  await services?.stop();
});

/** A block of one decision, so many seconds after the start. */
function blockAt(seconds: number, tenant = 'acme', api = 'site'): NewBlock {
  const atUs = START_US + seconds * SECOND_US;
  const packed = packBlock(
    encodeBlock({
      ...{ node: 'n1', epoch: 'e1', sequence: 1, dropped: 0, resolutionUs: 1, rows: 1 },
      atUs: Float64Array.of(atUs),
      ...{ subject: Uint32Array.of(0), operation: Uint32Array.of(0), cost: Uint32Array.of(1) },
      verdict: Uint32Array.of(0),
      subjects: [{ tenant, values: [['user', 'x']] }],
      operations: [{ api, name: 'read' }],
      verdicts: [{ outcome: 'allowed', flags: 0, limit: null, revision: 1 }],
    }),
  );
  return {
    tenantId: ids[tenant] as string,
    apis: [api],
    ...{ fromUs: atUs, toUs: atUs, rows: 1, level: 0, packed },
  };
}

async function read(range: Partial<RecordingRange> = {}): Promise<number[]> {
  const seconds: number[] = [];
  const all = { fromUs: START_US, toUs: START_US + 3600 * SECOND_US };
  for await (const { packed } of blocks.recordings({ ...all, ...range })) {
    seconds.push(...Array.from(unpackBlock(packed).atUs, (atUs) => (atUs - START_US) / SECOND_US));
  }
  return seconds;
}

describe('a recording', () => {
  it('contains the blocks of a range, of tenants and of an API, in order of time', async () => {
    await database.transaction((tx) =>
      blocks.add(tx, [
        ...Array.from({ length: 40 }, (_, i) => blockAt(100 - i)),
        blockAt(50, 'globex', 'shop'),
      ]),
    );
    const acme = [ids.acme as string];
    expect(await read({ tenantIds: acme })).toEqual(Array.from({ length: 40 }, (_, i) => 61 + i));
    expect(await read()).toHaveLength(41);
    expect(await read({ api: 'shop' })).toEqual([50]);
    const range = { fromUs: START_US + 70 * SECOND_US, toUs: START_US + 72 * SECOND_US };
    expect(await read(range)).toEqual([70, 71]);
    expect(await blocks.extent({ ...range, tenantIds: acme })).toMatchObject({
      tenants: 1,
      decisions: 2,
      fromUs: range.fromUs,
      toUs: range.toUs - SECOND_US,
    });
  });

  it('contains the blocks of a deleted tenant no more', async () => {
    await owner.tenant.delete({ where: { id: ids.globex as string } });
    expect(await read({ api: 'shop' })).toEqual([]);
  });
});
