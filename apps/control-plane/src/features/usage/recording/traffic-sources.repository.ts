import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/prisma/database.js';
import type { NewGap, SourcePosition } from './traffic-blocks.rules.js';

/** Positions of node processes in the stream of traffic, and decisions that are in no block. */
@Injectable()
export class TrafficSourcesRepository {
  /** All known processes of these nodes, newest first. */
  async list(tx: Tx, nodeIds: readonly string[]): Promise<SourcePosition[]> {
    const rows = await tx.trafficSource.findMany({
      where: { nodeId: { in: [...nodeIds] } },
      orderBy: { lastUs: 'desc' },
    });
    return rows.map(({ nodeId, epoch, sequence, lastUs }) => ({
      ...{ nodeId, epoch },
      sequence: Number(sequence),
      lastUs: Number(lastUs),
    }));
  }

  async put(tx: Tx, positions: readonly SourcePosition[], at: Date): Promise<void> {
    for (const { nodeId, epoch, sequence, lastUs } of positions) {
      const position = { sequence: BigInt(sequence), lastUs: BigInt(lastUs), lastAt: at };
      await tx.trafficSource.upsert({
        where: { nodeId_epoch: { nodeId, epoch } },
        create: { nodeId, epoch, ...position },
        update: position,
      });
    }
  }

  async addGaps(tx: Tx, gaps: readonly NewGap[]): Promise<void> {
    if (gaps.length === 0) return;
    await tx.trafficGap.createMany({
      data: gaps.map(({ fromUs, toUs, decisions, ...gap }) => ({
        ...gap,
        fromUs: BigInt(fromUs),
        toUs: BigInt(toUs),
        decisions: decisions === null ? null : BigInt(decisions),
      })),
    });
  }
}
