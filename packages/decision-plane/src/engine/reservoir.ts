/**
 * A uniform sample of a stream whose length nobody knows, `size` of it at most: algorithm L of Kim-Hung Li, "Reservoir-sampling
 * algorithms of time complexity O(n(1 + log(N/n)))" (1994). What is passed over costs one subtraction.
 */
export class Reservoir<T> {
  private items: T[] = [];
  /** How many more to pass over. */
  private skip = 0;
  private weight = 1;

  /**
   * @param size 0: nothing is ever wanted
   * @param random 0 up to 1
   */
  constructor(
    private readonly size: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Call it once for each that comes along: whether it is to be {@link put}. */
  wants(): boolean {
    if (this.items.length < this.size) return true;
    if (this.size === 0) return false;
    if (this.skip > 0) {
      this.skip--;
      return false;
    }
    return true;
  }

  /** Takes what is wanted, in the place of another once it is full. */
  put(item: T): void {
    if (this.items.length < this.size) {
      this.items.push(item);
      if (this.items.length < this.size) return;
    } else {
      this.items[Math.floor(this.random() * this.size)] = item;
    }
    this.weight *= this.positive() ** (1 / this.size);
    this.skip = Math.floor(Math.log(this.positive()) / Math.log1p(-this.weight));
  }

  /** The sample of what came along; begins anew. */
  take(): T[] {
    const { items } = this;
    this.items = [];
    this.skip = 0;
    this.weight = 1;
    return items;
  }

  private positive(): number {
    return 1 - this.random();
  }
}
