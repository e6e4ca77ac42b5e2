import { useEffect, useReducer, useState } from 'react';
import { addFrames, type DecisionFrame, type DecisionWindow } from '../decision-window.js';

/** Whether frames can arrive. EventSource reconnects by itself; `waiting` is the time in between. */
export type LiveConnection = 'connecting' | 'open' | 'waiting';

export interface LiveDecisions {
  window: DecisionWindow;
  connection: LiveConnection;
  /** How far the server's clock is ahead of this one; 0 unless they differ by more than delivery explains. */
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
