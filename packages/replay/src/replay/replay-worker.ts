import { parentPort, workerData } from 'node:worker_threads';
import { unpackBlock } from '../traffic/block-codec.js';
import { type ReplayOptions, TrafficReplay } from './replay.js';
import type { ReplayResult } from './result.js';

/** `end`: blocks of other tenants follow. */
export type WorkerRequest = { kind: 'block'; packed: Uint8Array } | { kind: 'end' } | { kind: 'finish' };

/** One per block, with the decisions so far, and one at the end with the result. */
export interface WorkerReply {
  decisions: number;
  result?: ReplayResult;
}

// The program of the worker thread that `replayOnThread` starts. Errors end the thread and reject the caller's promise.
const replay = new TrafficReplay(workerData as ReplayOptions);
const reply = (message: WorkerReply): void => parentPort?.postMessage(message);

parentPort?.on('message', (request: WorkerRequest) => {
  switch (request.kind) {
    case 'block':
      replay.add(unpackBlock(request.packed));
      reply({ decisions: replay.decisions });
      return;
    case 'end':
      replay.end();
      return;
    case 'finish':
      replay.end();
      reply({ decisions: replay.decisions, result: replay.result() });
      parentPort?.close();
  }
});
