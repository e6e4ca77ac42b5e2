import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BillingDocument } from './document.js';
import type { Letterhead, PdfRequest } from './pdf.js';

export interface PdfLimits {
  timeMs: number;
  heapMb: number;
}

/** An ordinary document takes 0.2 s and 30 MB. */
const LIMITS: PdfLimits = { timeMs: 20_000, heapMb: 128 };

/** Tests run it from its source, whose imports need a condition. */
const EXTENSION = path.extname(import.meta.url);
const PROGRAM = new URL(`./pdf${EXTENSION}`, import.meta.url);
const CONDITIONS = EXTENSION === '.ts' ? ['--conditions=tollgate:source'] : [];

/**
 * Renders a PDF on a thread of its own, so that an error in a callback of a library, an endless loop or too much memory
 * ends that thread only.
 * @throws Error if the thread fails or reaches a limit
 */
export async function renderOnThread(
  content: BillingDocument,
  letterhead: Letterhead,
  { timeMs, heapMb }: PdfLimits = LIMITS,
): Promise<Buffer> {
  const request: PdfRequest = { content, letterhead };
  const worker = new Worker(PROGRAM, {
    workerData: request,
    // Without settings and loaders of this process.
    env: {},
    execArgv: CONDITIONS,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  worker.on('message', resolve);
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread ended without a document')));
  const timer = setTimeout(() => reject(new Error(`no document within ${timeMs} ms`)), timeMs);
  try {
    return Buffer.from(await promise);
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
