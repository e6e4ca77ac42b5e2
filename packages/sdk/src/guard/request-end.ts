import { type Decision, isDecidedByTollgate, type Limiter } from '../client/decision.js';
import { type Caller, callerOf } from '../client/requests.js';

/**
 * Ends a request, once: releases its permits, or refunds it if `refundOn` says so. Never throws.
 * @param status of a complete response, or of an exception before it; undefined: the response did not finish, because the client
 * left or the body failed. Then the charge stays, or a client could avoid it by leaving.
 */
export type EndRequest = (status: number | undefined) => void;

/** Undefined: nothing to do at the end. Otherwise an adapter calls it for each end: response, exception, closed connection. */
export function endOf(
  { client, refundOn }: { client: Limiter; refundOn?: ((status: number) => boolean) | undefined },
  caller: Caller,
  decision: Decision,
): EndRequest | undefined {
  if (!decision.success || !isDecidedByTollgate(decision)) return undefined;
  const hasPermit = decision.policies.some(isPermit);
  if (!hasPermit && refundOn === undefined) return undefined;
  const receipt = { ...callerOf(caller), requestId: decision.requestId };
  let isEnded = false;
  return (status) => {
    if (isEnded) return;
    isEnded = true;
    const isRefunded = status !== undefined && refundOn !== undefined && choose(refundOn, status);
    if (!isRefunded && !hasPermit) return;
    // Fire and forget: without an answer, a permit ends with its lease and a charge with its window.
    (isRefunded ? client.refund(receipt) : client.release(receipt)).catch(() => undefined);
  };
}

/** Concurrency limits have no window. */
function isPermit({ window, success }: Decision['policies'][number]): boolean {
  return window === 0 && success;
}

/** It runs in listeners of events, where an exception would end the process. */
function choose(refundOn: (status: number) => boolean, status: number): boolean {
  try {
    return refundOn(status) === true;
  } catch (error) {
    console.error('tollgate: refundOn threw', error);
    return false;
  }
}

/** A response of node:http, or a `Http2ServerResponse`. */
export interface NodeResponse {
  statusCode: number;
  destroyed?: boolean;
  stream?: { destroyed: boolean };
  once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** Ends the request with its response. */
export function endWithNodeResponse(end: EndRequest | undefined, response: NodeResponse): void {
  if (end === undefined) return;
  response.once('finish', () => end(response.statusCode));
  response.once('close', () => end(undefined));
  // The client left during the check: there are no more events.
  if (response.destroyed ?? response.stream?.destroyed) end(undefined);
}
