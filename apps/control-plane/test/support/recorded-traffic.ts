import { BlockBuilder, encodeBlock, packBlock } from '@tollgate/replay';
import { recordedValue, SubjectHash, TrafficBlocksRepository } from '../../src/features/usage/index.js';
import type { TestApp } from './test-app.js';

interface RecordedTarget {
  tenantKey: string;
  api: string;
  operation: string;
  /** The limit that allowed them. */
  limit: string;
  /** Default: 2. */
  minutesAgo?: number;
}

/** Records nine requests of the user `abc` within a second of an earlier minute, allowed under the newest revision. */
export async function recordQuickRequests(
  app: TestApp,
  { tenantKey, api, operation, limit, minutesAgo = 2 }: RecordedTarget,
): Promise<void> {
  const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: tenantKey } });
  const { number } = await app.database.policyRevision.findFirstOrThrow({ orderBy: { number: 'desc' } });
  const minuteUs = (Math.floor(Date.now() / 60_000) - minutesAgo) * 60_000_000;
  const builder = new BlockBuilder();
  const user = recordedValue(app.app.get(SubjectHash, { strict: false }).of(tenantId, 'user', '=abc'));
  const subject = builder.addSubject({ tenant: tenantKey, values: [['user', user]] });
  const verdict = builder.verdictOf('allowed', 0, limit, number);
  for (let n = 0; n < 9; n++) {
    builder.add(minuteUs + n * 100_000, subject, builder.operationOf(api, operation), 1, verdict);
  }
  const header = { node: 'n1', epoch: 'e1', sequence: 1, dropped: 0, resolutionUs: 1 };
  const packed = packBlock(encodeBlock(builder.build(header)));
  const blocks = app.app.get(TrafficBlocksRepository, { strict: false });
  await app.database.$transaction((tx) =>
    blocks.add(tx as never, [
      { tenantId, apis: [api], fromUs: minuteUs, toUs: minuteUs + 800_000, rows: 9, level: 0, packed },
    ]),
  );
}
