import { Injectable } from '@nestjs/common';
import {
  CHAIN_START,
  type ChainedEntry,
  type ChainPosition,
  type ChainProblem,
  findChainProblem,
} from '@tollgate/contracts/audit-chain';
import { AuditRepository, type ChainPlace, FIRST_PLACE } from './audit.repository.js';
import { AuditHeadsStore, type FoundHead } from './audit-heads.store.js';

/** Entries in memory at once. */
const BATCH_SIZE = 2000;
const MAX_BREAKS = 100;

/** A broken link of a chain. */
export interface ChainBreak {
  chain: string;
  sequence: number;
  entryId: string | null;
  problem: ChainProblem;
}

export interface Verification {
  chains: number;
  entries: number;
  unsignedChains: number;
  brokenChains: number;
  /** The first break of each, of at most {@link MAX_BREAKS} chains. */
  breaks: ChainBreak[];
}

/** Progress of the verification of one chain. */
interface Walk {
  chain: string;
  position: ChainPosition;
  head: FoundHead | undefined;
  broken: boolean;
}

/** Verifies the integrity of the audit trail, a few thousand entries at a time. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly audit: AuditRepository,
    private readonly heads: AuditHeadsStore,
  ) {}

  /** Verifies one tenant's chain, or all of them. */
  async verify(tenantKey: string | undefined): Promise<Verification> {
    const result: Verification = { chains: 0, entries: 0, unsignedChains: 0, brokenChains: 0, breaks: [] };
    let walk: Walk | undefined;
    const read = (place: ChainPlace) => this.audit.listChained({ tenantKey }, place, BATCH_SIZE);
    let reading = read(FIRST_PLACE);
    for (;;) {
      const batch = await reading;
      const last = batch.at(-1);
      const isLast = last === undefined || batch.length < BATCH_SIZE;
      // Reads the next batch while this one is verified.
      if (!isLast) reading = read(last);
      // Avoids an unhandled rejection if the verification fails first.
      reading.catch(() => undefined);
      const fresh = [...new Set(batch.map(({ chain }) => chain))].filter((chain) => chain !== walk?.chain);
      const heads = await this.heads.find(fresh);
      for (const entry of batch) {
        if (walk?.chain !== entry.chain) {
          if (walk !== undefined) await this.finish(walk, result);
          walk = begin(entry.chain, heads.get(entry.chain), result);
        }
        step(walk, entry, result);
      }
      if (isLast) break;
    }
    if (walk !== undefined) await this.finish(walk, result);
    await this.findVanished(tenantKey, result);
    return result;
  }

  /** Verifies the entries after the head, or the whole chain without one; returns the last position. */
  async follow(chain: string, found: FoundHead | undefined): Promise<ChainPosition | ChainBreak> {
    let position: ChainPosition = CHAIN_START;
    if (found !== undefined) {
      const { sequence, hash } = found.head;
      if (found.forged) return { chain, sequence, entryId: null, problem: 'signature' };
      const [named] = await this.audit.listChained(
        { tenantKey: chain },
        { chain, sequence: sequence - 1 },
        1,
      );
      if (named?.sequence !== sequence) return { chain, sequence, entryId: null, problem: 'truncated' };
      if (named.hash !== hash) return { chain, sequence, entryId: named.id, problem: 'head' };
      position = { sequence, hash };
    }
    for (;;) {
      const after = { chain, sequence: position.sequence };
      const batch = await this.audit.listChained({ tenantKey: chain }, after, BATCH_SIZE);
      for (const entry of batch) {
        const problem = findChainProblem(position, entry);
        if (problem !== undefined)
          return { chain, sequence: position.sequence + 1, entryId: entry.id, problem };
        position = { sequence: entry.sequence, hash: entry.hash };
      }
      if (batch.length < BATCH_SIZE) return position;
    }
  }

  /** Compares a fully read chain with its head. */
  private async finish(walk: Walk, result: Verification): Promise<void> {
    const { chain, head } = walk;
    if (walk.broken || head === undefined) return;
    const { sequence } = head.head;
    if (head.forged) return report(result, { chain, sequence, entryId: null, problem: 'signature' });
    // The head may cover entries written after the read began.
    while (!walk.broken && walk.position.sequence < sequence) {
      const after = { chain, sequence: walk.position.sequence };
      const batch = await this.audit.listChained({ tenantKey: chain }, after, BATCH_SIZE);
      for (const entry of batch) step(walk, entry, result);
      if (batch.length === 0) {
        walk.broken = true;
        report(result, { chain, sequence: after.sequence + 1, entryId: null, problem: 'truncated' });
      }
    }
  }

  /** Reports chains with a head and no entries: they were deleted. */
  private async findVanished(tenantKey: string | undefined, result: Verification): Promise<void> {
    const vanished = new Set<string>();
    const look = async (found: FoundHead[]) => {
      const chains = found.map(({ head }) => head.chain);
      const there = await this.audit.findChains(chains);
      for (const chain of chains) if (!there.has(chain)) vanished.add(chain);
    };
    // Row-level security does not cover heads.
    if (tenantKey !== undefined && !(await this.audit.mayKnowOf(tenantKey))) return;
    if (tenantKey !== undefined) await look([...(await this.heads.find([tenantKey])).values()]);
    else for await (const found of this.heads.all()) await look(found);
    for (const chain of vanished) report(result, { chain, sequence: 1, entryId: null, problem: 'truncated' });
  }
}

function begin(chain: string, head: FoundHead | undefined, result: Verification): Walk {
  result.chains += 1;
  if (head === undefined) result.unsignedChains += 1;
  return { chain, position: CHAIN_START, head, broken: false };
}

function step(walk: Walk, entry: ChainedEntry, result: Verification): void {
  result.entries += 1;
  if (walk.broken) return;
  const isHead = entry.sequence === walk.head?.head.sequence;
  const problem =
    findChainProblem(walk.position, entry) ??
    (isHead && entry.hash !== walk.head?.head.hash ? 'head' : undefined);
  if (problem !== undefined) {
    walk.broken = true;
    const { chain, position } = walk;
    report(result, { chain, sequence: position.sequence + 1, entryId: entry.id, problem });
  }
  walk.position = entry;
}

function report(result: Verification, found: ChainBreak): void {
  result.brokenChains += 1;
  if (result.breaks.length < MAX_BREAKS) result.breaks.push(found);
}
