import type { Family } from '../metrics/exposition.js';

/** What the processes of one decision API say to each other. `asked` numbers a question, for its answers to be found. */
export type ProcessMessage =
  /** A process was asked for metrics, and wants those of all. */
  | { kind: 'metrics-wanted'; asked: number }
  /** Everyone is to tell its own. */
  | { kind: 'metrics-ask'; asked: number }
  | { kind: 'metrics-told'; asked: number; families: Family[] }
  /** Those of all, each sample labelled with its process. */
  | { kind: 'metrics'; asked: number; families: Family[] };
