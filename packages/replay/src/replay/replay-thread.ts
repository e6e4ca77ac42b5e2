import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { withResolvers } from '@tollgate/contracts/older-node';
import type { ReplayOptions } from './replay.js';
import type { WorkerReply, WorkerRequest } from './replay-worker.js';
import type { ReplayResult } from './result.js';

export interface ThreadOptions {
  /** Stops the thread; the promise is rejected with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with the number of decisions so far, after each block and at the end. */
  readonly onProgress?: (decisions: number) => void;
}

/** Blocks on their way to the thread, so that it does not wait for the next one. */
const AHEAD = 4;

/** Bounds the memory of a replay. */
const MAX_HEAP_MB = 1024;

/**
 * A replay on a thread, so that the process stays responsive.
 * @param sequences packed blocks, in the order of their first decision within each sequence; a tenant is in one sequence
 * @throws Error as {@link TrafficReplay}, or if the thread runs out of memory
 */
export async function replayOnThread(
  sequences: Iterable<AsyncIterable<Uint8Array>>,
  options: ReplayOptions,
  { signal, onProgress }: ThreadOptions,
): Promise<ReplayResult> {
  signal.throwIfAborted();
  // From the compiled package: a thread does not load TypeScript.
  const program = createRequire(import.meta.url).resolve('@tollgate/replay/worker');
  const worker = new Worker(program, {
    workerData: options,
    // Without conditions and loaders of this process.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const { promise: result, resolve, reject } = withResolvers<ReplayResult>();
  // Awaited at the end; until then, a failure must not be an unhandled rejection.
  result.catch(() => undefined);
  let unanswered = 0;
  worker.on('message', (reply: WorkerReply) => {
    unanswered--;
    onProgress?.(reply.decisions);
    if (reply.result !== undefined) resolve(reply.result);
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread of the replay ended')));
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const send = (request: WorkerRequest) => worker.postMessage(request);
  try {
    for (const sequence of sequences) {
      for await (const packed of sequence) {
        send({ kind: 'block', packed });
        unanswered++;
        while (unanswered >= AHEAD) await Promise.race([once(worker, 'message'), result]);
        signal.throwIfAborted();
      }
      send({ kind: 'end' });
    }
    send({ kind: 'finish' });
    return await result;
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}
