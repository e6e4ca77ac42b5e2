import { randomInt } from 'node:crypto';
import { type BlockHeader, DecisionRows, type SentValues, writtenValues } from './block.js';
import { SubjectWriter, writeBlock } from './block-codec.js';

const FIRST_SLOTS = 1024;

/**
 * Collects decisions for a block and encodes subjects as they arrive. Keeps no text of a request: texts would survive
 * collections of the young generation until the block is closed.
 */
export class BlockEncoder extends DecisionRows {
  private readonly subjects = new SubjectWriter();
  private readonly known = new SubjectFingerprints();

  override get bytes(): number {
    return super.bytes + this.subjects.bytes;
  }

  /** @param sent as in the request; values that cannot be in a counter key are omitted */
  subjectOf(tenant: string, sent: SentValues | undefined): number {
    const known = this.known.find(tenant, sent);
    if (known >= 0) return known;
    this.known.add(this.subjects.count);
    return this.subjects.add({ tenant, values: writtenValues(sent) });
  }

  /** The encoded block. The next decision begins another one. */
  finish(header: BlockHeader): Buffer {
    const { rows, operations, verdicts, subjects } = this;
    const block = writeBlock({ ...header, rows, ...this.ordered(), operations, verdicts }, subjects);
    this.clear();
    return block;
  }

  protected override clear(): void {
    super.clear();
    this.subjects.clear();
    this.known.clear();
  }
}

/**
 * Indexes of subjects by 64 bits of a secret hash of their texts: two subjects are confused with a probability of the number
 * of subjects in a block ÷ 2^64.
 */
class SubjectFingerprints {
  private size = 0;
  private slots = new Int32Array(3 * FIRST_SLOTS);
  private readonly secrets = [randomOdd(), randomOdd()] as const;
  /** Of the subject that was last looked for. */
  private first = 0;
  private second = 0;
  private slot = 0;

  /** -1: unknown. */
  find(tenant: string, sent: SentValues | undefined): number {
    this.first = 0;
    this.second = 0;
    this.mix(tenant);
    for (const dimension in sent) {
      this.mix(dimension);
      this.mix(sent[dimension] as string);
    }
    return this.seek();
  }

  /** Adds the subject that {@link find} did not find. */
  add(index: number): void {
    const { slots, slot } = this;
    slots[slot] = this.first;
    slots[slot + 1] = this.second;
    slots[slot + 2] = index + 1;
    if (++this.size * 6 > slots.length) this.grow();
  }

  clear(): void {
    this.size = 0;
    this.slots.fill(0);
  }

  // Secret multipliers keep callers from constructing collisions.
  private mix(text: string): void {
    const [one, two] = this.secrets;
    const { length } = text;
    let a = this.first ^ length;
    let b = this.second ^ length;
    let i = 0;
    for (; i + 1 < length; i += 2) {
      const codes = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
      a = Math.imul(a ^ codes, one);
      a ^= a >>> 15;
      b = Math.imul(b ^ codes, two);
      b ^= b >>> 13;
    }
    const last = i < length ? text.charCodeAt(i) : 0;
    a = Math.imul(a ^ last, one);
    b = Math.imul(b ^ last, two);
    this.first = a ^ (a >>> 14);
    this.second = b ^ (b >>> 16);
  }

  /** The index of the subject, or -1 and its free slot. */
  private seek(): number {
    const { slots, first, second } = this;
    const count = slots.length / 3;
    for (let i = first & (count - 1); ; i = (i + 1) & (count - 1)) {
      const slot = 3 * i;
      const index = slots[slot + 2] as number;
      if (index === 0) {
        this.slot = slot;
        return -1;
      }
      if (slots[slot] === first && slots[slot + 1] === second) return index - 1;
    }
  }

  private grow(): void {
    const { slots } = this;
    this.slots = new Int32Array(2 * slots.length);
    for (let slot = 0; slot < slots.length; slot += 3) {
      const index = slots[slot + 2] as number;
      if (index === 0) continue;
      this.first = slots[slot] as number;
      this.second = slots[slot + 1] as number;
      this.seek();
      this.slots.set([this.first, this.second, index], this.slot);
    }
  }
}

function randomOdd(): number {
  return randomInt(2 ** 31) * 2 + 1;
}
