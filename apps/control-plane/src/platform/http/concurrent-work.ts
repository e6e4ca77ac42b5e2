import { overloaded } from '../api-error.js';

/** Limits expensive work of this process, in total and per owner, so that one tenant, person or token cannot occupy it. */
export class ConcurrentWork {
  private total = 0;
  private readonly running = new Map<string, number>();

  /** @param message of the error, for people */
  constructor(
    private readonly limits: { total: number; perOwner: number },
    private readonly message: string,
  ) {}

  /** Runs `work` for its owners. @throws ApiError OVERLOADED */
  async run<T>(owners: readonly string[], work: () => Promise<T>): Promise<T> {
    const end = this.begin(owners);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Returns the function that ends the work. @throws ApiError OVERLOADED */
  begin(owners: readonly string[]): () => void {
    const { total, perOwner } = this.limits;
    const isFull = this.total >= total || owners.some((owner) => this.count(owner) >= perOwner);
    if (isFull) throw overloaded(this.message);
    this.add(owners, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.add(owners, -1);
      isOpen = false;
    };
  }

  private count(owner: string): number {
    return this.running.get(owner) ?? 0;
  }

  private add(owners: readonly string[], one: 1 | -1): void {
    this.total += one;
    for (const owner of owners) {
      const count = this.count(owner) + one;
      if (count === 0) this.running.delete(owner);
      else this.running.set(owner, count);
    }
  }
}
