import { useEffect, useRef } from 'react';
import { ScrollSideways } from '../../../components/data-table.js';
import type { OfferKind, PurchaseStatus } from '../../../generated/graphql.js';
import { PURCHASE_STATUS_TEXT } from '../../../lib/labels.js';
import classes from './state-machine.module.css';

const WIDTH = 112;
const HEIGHT = 34;
const WHOLE_WIDTH = 704;

/** Middle of each state in the drawing. */
const PLACES: Readonly<Record<PurchaseStatus, readonly [x: number, y: number]>> = {
  PENDING: [62, 112],
  HELD: [240, 34],
  EXPIRED: [240, 190],
  ACTIVE: [430, 112],
  REJECTED: [430, 34],
  GRACE: [430, 190],
  DISPUTED: [642, 34],
  REFUNDED: [642, 112],
  ENDED: [642, 190],
};

interface Edge {
  from: PurchaseStatus;
  to: PurchaseStatus;
  label: string;
  /** Where the label stands, when not half-way. */
  at?: readonly [x: number, y: number];
}

const EDGES: readonly Edge[] = [
  { from: 'PENDING', to: 'ACTIVE', label: 'paid as ordered' },
  { from: 'PENDING', to: 'HELD', label: 'paid otherwise', at: [132, 62] },
  { from: 'PENDING', to: 'EXPIRED', label: 'given up', at: [136, 162] },
  { from: 'HELD', to: 'ACTIVE', label: 'accepted', at: [346, 78] },
  { from: 'HELD', to: 'REJECTED', label: 'rejected' },
  { from: 'ACTIVE', to: 'GRACE', label: 'renewal fails', at: [474, 151] },
  { from: 'ACTIVE', to: 'DISPUTED', label: 'bank takes it back', at: [531, 62] },
  { from: 'ACTIVE', to: 'REFUNDED', label: 'refunded' },
  { from: 'ACTIVE', to: 'ENDED', label: 'runs out', at: [560, 148] },
  { from: 'GRACE', to: 'ENDED', label: 'never paid' },
];

/** All that a purchase can come to, and where this one stands. */
export function StateMachine({ status, kind }: { status: PurchaseStatus; kind: OfferKind }) {
  // What is paid once has no renewal that could fail.
  const isPossible = (state: PurchaseStatus) => kind === 'UPGRADE' || state !== 'GRACE';
  const states = (Object.keys(PLACES) as PurchaseStatus[]).filter(isPossible);
  const drawing = useRef<SVGSVGElement>(null);
  useEffect(() => {
    // On a narrow screen only a part is in sight: the one where the purchase stands.
    const host = drawing.current?.parentElement;
    if (!host) return;
    const [x] = PLACES[status];
    host.scrollLeft = (x / WHOLE_WIDTH) * host.scrollWidth - host.clientWidth / 2;
  }, [status]);
  const edges = EDGES.filter(({ from, to }) => isPossible(from) && isPossible(to));
  return (
    <ScrollSideways>
      <svg
        ref={drawing}
        className={classes.drawing}
        viewBox={`0 0 ${WHOLE_WIDTH} 224`}
        role="img"
        aria-label={`Purchase lifecycle; current status: ${PURCHASE_STATUS_TEXT[status]}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0.8 7 4 0 7.2z" className={classes.head} />
          </marker>
        </defs>
        {edges.map((edge) => (
          <Arrow key={`${edge.from} ${edge.to}`} edge={edge} isNext={edge.from === status} />
        ))}
        {states.map((state) => {
          const [x, y] = PLACES[state];
          return (
            <g key={state} className={classes.state} data-current={state === status || undefined}>
              <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx={7} />
              <text x={x} y={y}>
                {PURCHASE_STATUS_TEXT[state]}
              </text>
            </g>
          );
        })}
      </svg>
    </ScrollSideways>
  );
}

function Arrow({ edge: { from, to, label, at }, isNext }: { edge: Edge; isNext: boolean }) {
  const [x1, y1, x2, y2] = between(PLACES[from], PLACES[to]);
  const [x, y] = at ?? [(x1 + x2) / 2, (y1 + y2) / 2 - 8];
  return (
    <g className={classes.edge} data-next={isNext || undefined}>
      <path d={`M${x1} ${y1} ${x2} ${y2}`} markerEnd="url(#arrow)" />
      <text x={x} y={y}>
        {label}
      </text>
    </g>
  );
}

/** The line between two boxes, from edge to edge. */
function between(
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
): [number, number, number, number] {
  if (ax === bx) {
    const down = by > ay ? 1 : -1;
    return [ax, ay + (HEIGHT / 2) * down, bx, by - (HEIGHT / 2 + 2) * down];
  }
  return [ax + WIDTH / 2, ay, bx - WIDTH / 2 - 2, by];
}
