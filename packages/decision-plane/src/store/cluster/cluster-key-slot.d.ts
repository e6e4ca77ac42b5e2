declare module 'cluster-key-slot' {
  /** The slot of a key, 0 to 16383, by the Redis Cluster specification. */
  export default function calculateSlot(key: string): number;
}
