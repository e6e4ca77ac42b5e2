import type { Prisma, PrismaClient } from '@tollgate/database';
import { randomFrom } from '@tollgate/test-kit/random';
import type { Verification } from '../../src/features/governance/audit/audit-verifier.ts';
import { TAMPERINGS, tamper } from './audit-tampering.ts';

export interface TamperingRun {
  /** Connects as the owner of the database, without restrictions. */
  owner: PrismaClient;
  /** Verifies every chain as the transaction sees it. */
  verify(tx: Prisma.TransactionClient): Promise<Verification>;
  /** Chains with at least two entries whose heads are signed. */
  chains: string[];
  rounds: number;
  seed: number;
}

export interface TamperingOutcome {
  found: number;
  /** Descriptions of undetected tampering. */
  missed: string[];
  /** Rounds of each kind. */
  kinds: Record<string, number>;
}

/** Tampers with chains in one way at a time and verifies each time: S10 of the reliability goals. */
export async function runTamperings({
  owner,
  verify,
  chains,
  rounds,
  seed,
}: TamperingRun): Promise<TamperingOutcome> {
  const next = randomFrom(seed).below;
  const kinds = Object.entries(TAMPERINGS);
  const outcome: TamperingOutcome = { found: 0, missed: [], kinds: {} };
  const lengths = new Map<string, number>();
  for (const chain of chains) lengths.set(chain, await owner.auditEntry.count({ where: { chain } }));
  for (let round = 0; round < rounds; round++) {
    const [kind, work] = kinds[round % kinds.length] as (typeof kinds)[number];
    const chain = chains[next(chains.length)] as string;
    const { what, seen } = await tamper(
      owner,
      (tx) => work(tx, chain, lengths.get(chain) as number, next),
      verify,
    );
    outcome.kinds[kind] = (outcome.kinds[kind] ?? 0) + 1;
    if (seen.breaks.some((found) => found.chain === chain)) outcome.found += 1;
    else outcome.missed.push(`${kind} in ${chain}: ${what}`);
  }
  return outcome;
}
