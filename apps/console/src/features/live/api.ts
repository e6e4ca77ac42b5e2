import { queryOptions } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { addFrames, type DecisionFrame, type DecisionWindow } from './decision-window.js';

const LiveExampleDocument = graphql(`
  query LiveExample {
    tenants(first: 1, status: ACTIVE) { nodes { key } }
    apis(first: 10) { nodes { key operations { name } } }
  }
`);

/** An existing tenant, API and operation for an example request; those that do not exist are undefined. */
export const liveExampleQuery = queryOptions({
  queryKey: ['live-example'],
  queryFn: async ({ signal }) => {
    const { tenants, apis } = await graphqlRequest(LiveExampleDocument, {}, signal);
    const api = apis.nodes.find(({ operations }) => operations.length > 0) ?? apis.nodes[0];
    return { tenant: tenants.nodes[0]?.key, api: api?.key, operation: api?.operations[0]?.name };
  },
});

/** State of the stream; `waiting`: EventSource is reconnecting. */
export type LiveConnection = 'connecting' | 'open' | 'waiting';

export interface LiveDecisions {
  window: DecisionWindow;
  connection: LiveConnection;
  /** Offset of the server's clock; 0 unless it exceeds the delivery time. */
  clockOffsetMs: number;
}

const RETRY_AFTER_MS = 3_000;
const DELIVERY_MS = 5_000;

/**
 * Follows the decisions of all nodes, one frame a second while there is traffic. The stream starts with the frames of
 * the last minutes, also after a reconnect.
 */
export function useLiveDecisions(): LiveDecisions {
  const [window, receive] = useReducer(addFrames, []);
  const [connection, setConnection] = useState<LiveConnection>('connecting');
  const [clockOffsetMs, setClockOffsetMs] = useState(0);
  useEffect(() => {
    let source: EventSource;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      source = new EventSource('/live/decisions');
      source.addEventListener('history', (event: MessageEvent<string>) => {
        setConnection('open');
        receive(JSON.parse(event.data) as DecisionFrame[]);
      });
      source.onmessage = (event: MessageEvent<string>) => {
        const frame = JSON.parse(event.data) as DecisionFrame;
        const offsetMs = frame.atMs - Date.now();
        setClockOffsetMs(Math.abs(offsetMs) > DELIVERY_MS ? offsetMs : 0);
        receive([frame]);
      };
      source.onerror = () => {
        setConnection('waiting');
        // After an answer that is no stream the browser gives up for good; the server may only be restarting.
        if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_AFTER_MS);
      };
    };
    connect();
    return () => {
      clearTimeout(retry);
      source.close();
    };
  }, []);
  return { window, connection, clockOffsetMs };
}
