import type { UsageFrame } from '@tollgate/contracts';

/** Nodes whose last frame is remembered; the one that was silent longest goes first. */
const MAX_NODES = 1000;

/**
 * Tells a frame from its repeats. A node that does not know whether a frame was written writes it again under the same
 * number, and no later one before it: the last number of each node and epoch is all there is to remember.
 */
export class SeenFrames {
  private readonly last = new Map<string, number>();

  /** Whether the frame is a new one; from then on it is not. */
  take({ nodeId, epoch, sequence }: Pick<UsageFrame, 'nodeId' | 'epoch' | 'sequence'>): boolean {
    const node = JSON.stringify([nodeId, epoch]);
    if (sequence <= (this.last.get(node) ?? 0)) return false;
    // Anew, so that the order of the map is that of the last words.
    this.last.delete(node);
    this.last.set(node, sequence);
    if (this.last.size > MAX_NODES) this.last.delete(this.last.keys().next().value ?? '');
    return true;
  }
}
