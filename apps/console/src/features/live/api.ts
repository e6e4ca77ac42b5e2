import { queryOptions } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import type { DecisionSecondsSubscription } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { subscribe } from '../../lib/streams.js';
import { addFrames, type DecisionWindow } from './decision-window.js';

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

const DecisionSecondsDocument = graphql(`
  subscription DecisionSeconds {
    decisionSeconds {
      at nodes
      apis { api: apiKey allowed denied }
      mostDenied { tenant: tenantKey denied }
    }
  }
`);

/** State of the stream; `waiting`: it is reconnecting. */
export type LiveConnection = 'connecting' | 'open' | 'waiting';

export interface LiveDecisions {
  window: DecisionWindow;
  connection: LiveConnection;
  /** Offset of the server's clock; 0 unless it exceeds the delivery time. */
  clockOffsetMs: number;
}

const DELIVERY_MS = 5_000;

/**
 * Follows the decisions of all nodes, one frame a second while there is traffic. The stream starts with the last
 * minute, also after a reconnect.
 */
export function useLiveDecisions(): LiveDecisions {
  const [window, receive] = useReducer(addFrames, []);
  const [connection, setConnection] = useState<LiveConnection>('connecting');
  const [clockOffsetMs, setClockOffsetMs] = useState(0);
  useEffect(() => {
    const next = ({ decisionSeconds }: DecisionSecondsSubscription) => {
      const frames = decisionSeconds.map(({ at, ...frame }) => ({ atMs: Date.parse(at), ...frame }));
      const offsetMs = (frames.at(-1)?.atMs ?? Date.now()) - Date.now();
      setClockOffsetMs(Math.abs(offsetMs) > DELIVERY_MS ? offsetMs : 0);
      setConnection('open');
      receive(frames);
    };
    return subscribe(DecisionSecondsDocument, {}, { next, interrupt: () => setConnection('waiting') });
  }, []);
  return { window, connection, clockOffsetMs };
}
