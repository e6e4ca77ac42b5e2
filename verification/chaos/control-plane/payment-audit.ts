import type { PrismaClient } from '@tollgate/database';
import { UNITS } from '../../../apps/control-plane/test/support/ordered-purchases.ts';
import { failing, type Measurement } from '../goal.ts';
import type { StormReport } from './payment-storm.ts';

/** Compares the database with the expected results of the stories row by row, without the code under test. */
export async function auditStorm(
  database: PrismaClient,
  { purchases, events, deliveries, repeated }: StormReport,
  more: Measurement['numbers'] = {},
): Promise<Measurement> {
  const wrong: string[] = [];
  let [paidUnits, grantedUnits] = [0, 0];
  for (const { id, name, story } of purchases) {
    const inForce = await findUnitsInForce(database, id);
    const money = await database.moneyEntry.findMany({ where: { purchaseId: id } });
    const sum = (rows: typeof money) =>
      rows.reduce((total, { amountMinor }) => total + Number(amountMinor), 0);
    const cashMinor = sum(money.filter(({ account }) => account === 'CASH'));
    paidUnits += story.isGranted ? UNITS : 0;
    grantedUnits += inForce.reduce((total, units) => total + units, 0);
    const told = await database.purchaseEvent.count({ where: { purchaseId: id, source: 'test' } });
    const problems = [
      ...(inForce.length === (story.isGranted ? 1 : 0) ? [] : [`granted ${inForce.length} times`]),
      ...(cashMinor === story.cashMinor ? [] : [`${cashMinor} of ${story.cashMinor} are here`]),
      ...(sum(money) === 0 ? [] : [`money sums to ${sum(money)}`]),
      ...(told === story.facts.length ? [] : [`${told} of ${story.facts.length} events`]),
    ];
    if (problems.length > 0) wrong.push(`${name} (${id}): ${problems.join(', ')}`);
  }
  const ledger = await database.moneyEntry.aggregate({ _sum: { amountMinor: true } });
  return {
    name: 'purchases',
    numbers: {
      purchases: purchases.length,
      events,
      deliveries,
      'delivered again': repeated,
      'units paid': paidUnits,
      'units granted': grantedUnits,
      'ledger sums to': Number(ledger._sum.amountMinor ?? 0n),
      'purchases that came out wrong': wrong.length,
      ...more,
    },
    failures: failing({
      [`wrong: ${wrong.slice(0, 5).join('; ')}`]: wrong.length === 0,
      'the grant differs from the payment': grantedUnits === paidUnits,
      'the ledger does not sum to zero': Number(ledger._sum.amountMinor ?? 0n) === 0,
    }),
  };
}

/** Units of each grant of a purchase that is in effect now. */
async function findUnitsInForce(database: PrismaClient, purchaseId: string): Promise<number[]> {
  const now = new Date();
  const grants = await database.entitlement.findMany({
    where: {
      purchaseId,
      kind: 'GRANT',
      startsAt: { lte: now },
      OR: [{ endsAt: null }, { endsAt: { gt: now } }],
      ends: { none: { endsAt: { lte: now } } },
    },
  });
  return grants.map(({ effect }) => (effect as { units: number }).units);
}
