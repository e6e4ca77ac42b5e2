import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApisRepository, ApisService, CatalogueModule } from '../src/features/catalogue/index.js';
import { ChangeRunner } from '../src/platform/changes/change.js';
import { notFound, refuse, taken } from '../src/platform/changes/outcome.js';
import { Database } from '../src/platform/prisma/database.js';
import { CALLER } from './support/test-app.js';
import { startTestServices, type TestServices } from './support/test-services.js';

let services: TestServices;
let database: Database;
let runner: ChangeRunner;

beforeAll(async () => {
  services = await startTestServices([CatalogueModule]);
  database = services.context.get(Database);
  runner = services.context.get(ChangeRunner);
});
afterAll(() => services.stop());

describe('a change', () => {
  it('writes domain row, audit entry and outbox event with one change id', async () => {
    const input = { key: 'shop', name: 'Shop', reason: ' because ' };
    const outcome = await services.context.get(ApisService).create(CALLER, input);
    const changeId = outcome.ok ? (outcome.changeId ?? '') : '';
    expect(await database.client.auditEntry.findMany({ where: { changeId } })).toMatchObject([
      {
        action: 'api.create',
        actor: 'setup',
        actorKind: 'SYSTEM',
        reason: 'because',
        requestId: CALLER.requestId,
      },
    ]);
    expect(await database.client.outboxEvent.findMany({ where: { changeId } })).toMatchObject([
      { kind: 'CATALOGUE', entityKey: 'api:shop', revision: null },
    ]);
  });

  it('writes none of the three if it fails at its end', async () => {
    const before = await counts();
    const apis = services.context.get(ApisRepository);
    const failing = runner.run(CALLER, { reason: null }, async (change) => {
      const api = await apis.create(change.tx, { key: 'half', name: 'Half' });
      await change.audit({
        ...{ action: 'api.create', entityId: api.id, entityName: api.name, entityKey: api.key },
        ...{ before: null, after: {} },
      });
      change.publish('CATALOGUE', 'api:half');
      throw new Error('the last step fails');
    });
    await expect(failing).rejects.toThrow('the last step fails');
    expect(await counts()).toEqual(before);
  });

  it('changes nothing and returns the errors of a refusal', async () => {
    const before = await counts();
    const refusal = refuse<string>([notFound(['key'], 'such thing')], 'as it is');
    expect(await runner.run<string>(CALLER, { reason: null }, async () => refusal)).toEqual(refusal);
    expect(await counts()).toEqual(before);
  });

  it('returns a unique violation as an error only where the caller expects it', async () => {
    const apis = services.context.get(ApisRepository);
    const again = (onTaken?: ReturnType<typeof taken>) =>
      runner.run<object>(CALLER, { reason: null, ...(onTaken ? { onTaken } : {}) }, (change) =>
        apis.create(change.tx, { key: 'shop', name: 'Again' }),
      );
    expect(await again(taken(['key'], 'This key'))).toMatchObject({ ok: false, errors: [{ code: 'TAKEN' }] });
    await expect(again()).rejects.toThrow();
  });
});

async function counts() {
  const { api, auditEntry, outboxEvent } = database.client;
  return { apis: await api.count(), audit: await auditEntry.count(), outbox: await outboxEvent.count() };
}
