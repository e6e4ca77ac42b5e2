import cluster from 'node:cluster';
import type { Family } from '../metrics/exposition.js';
import type { ProcessMessage } from './messages.js';

/** How long others have to answer, ms: Prometheus itself waits for ten seconds. */
const WAIT_MS = 2_000;

/**
 * Where several processes share a port, whichever of them is asked tells the metrics of all.
 * @param readOwn of this process
 * @returns reads those of all; of this one alone, where it is alone or the others do not answer
 */
export function shareMetrics(readOwn: () => Family[]): () => Family[] | Promise<Family[]> {
  if (!cluster.isWorker) return readOwn;
  const waiting = new Map<number, (families: Family[]) => void>();
  let lastAsked = 0;
  const send = (message: ProcessMessage) => process.send?.(message);
  process.on('message', (message: ProcessMessage) => {
    if (message.kind === 'metrics-ask') {
      send({ kind: 'metrics-told', asked: message.asked, families: readOwn() });
    } else if (message.kind === 'metrics') {
      waiting.get(message.asked)?.(message.families);
    }
  });
  return async () => {
    const asked = ++lastAsked;
    const { promise, resolve } = Promise.withResolvers<Family[]>();
    const timer = setTimeout(() => resolve(readOwn()), WAIT_MS);
    waiting.set(asked, resolve);
    send({ kind: 'metrics-wanted', asked });
    const families = await promise;
    clearTimeout(timer);
    waiting.delete(asked);
    return families;
  };
}
