/** The mark: a post, a striped arm going up, and one request that has passed. */
export function LogoMark({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b6b64" />
      <path d="M9 7.5v17M5.8 24.5h6.4" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <path
        d="M9 18.5 25.5 9"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeDasharray="5.4 4.6"
      />
      <circle cx="23" cy="22" r="2.4" fill="#ff9f70" />
    </svg>
  );
}
