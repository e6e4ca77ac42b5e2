const LANES = 9;
const MARKS_PER_LANE = 26;

/** Requests as marks in lanes: they come from the left, the gate's line lets most pass and stops some. */
export function GatePicture() {
  return (
    <svg viewBox="0 0 720 760" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
      {Array.from({ length: LANES }, (_, lane) => lane).map((lane) => (
        <g key={lane}>
          {Array.from({ length: MARKS_PER_LANE }, (_, mark) => markAt(lane, mark)).map(
            ({ x, y, width, passed, stopped }) => (
              <rect
                key={x}
                x={x}
                y={y}
                width={width}
                height={6}
                rx={3}
                fill={stopped ? '#f98450' : '#49baa9'}
                opacity={stopped ? 0.95 : passed ? 0.75 : 0.28}
              />
            ),
          )}
        </g>
      ))}
      <path d="M430 60v470" stroke="#edf9f6" strokeWidth="2" opacity="0.55" />
      <circle cx="430" cy="60" r="5" fill="#edf9f6" />
    </svg>
  );
}

/** A fixed pattern that looks like traffic: arithmetic instead of chance, so that it is the same on every visit. */
function markAt(lane: number, mark: number) {
  const seed = (lane * 7919 + mark * 104_729) % 997;
  const x = mark * 30 - 20 + (seed % 14);
  const beforeGate = x < 418;
  const stopped = x > 388 && beforeGate && seed % 3 !== 0;
  const passed = !beforeGate;
  const visible = passed ? seed % 5 < 3 : seed % 5 < 4;
  return { x, y: 96 + lane * 48, width: visible ? 8 + (seed % 12) : 0, passed, stopped };
}
