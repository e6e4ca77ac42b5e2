/** The style sheet of the card page: readable at 390 pixels and up, light and dark. */
export const CARD_PAGE_CSS = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --dim: #57606a; --line: #d5dae1;
  --accent: #1c5fd4; --accent-text: #ffffff; --bad: #b3261e; --bad-page: #fdecea; --good: #17693a; --note: #fff4d6; --note-text: #5f4600;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --card: #1d2125; --text: #e6e9ed; --dim: #a3acb6; --line: #3a4149;
    --accent: #7fb0ff; --accent-text: #0c1a30; --bad: #ffb4ab; --bad-page: #3b1d1a; --good: #86d9a3; --note: #3a3115; --note-text: #f3dc96;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 24px 16px; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  max-width: 440px; margin: 0 auto; padding: 24px; background: var(--card);
  border: 1px solid var(--line); border-radius: 12px;
}
.notice {
  margin: 0 0 20px; padding: 8px 12px; border-radius: 8px; background: var(--note); color: var(--note-text); font-size: 14px;
}
h1 { margin: 0; font-size: 20px; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 28px 0 8px; font-size: 15px; }
.price { margin: 4px 0 20px; font-size: 28px; font-weight: 650; }
.price span { font-size: 15px; font-weight: 400; color: var(--dim); }
label { display: block; margin-bottom: 6px; font-weight: 600; font-size: 14px; }
input {
  width: 100%; min-height: 48px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--page); color: var(--text); font: inherit; font-variant-numeric: tabular-nums; letter-spacing: 0.04em;
}
input[aria-invalid="true"] { border-color: var(--bad); }
button, .button {
  display: block; width: 100%; min-height: 48px; margin-top: 12px; padding: 11px 16px; border: 0; border-radius: 8px;
  background: var(--accent); color: var(--accent-text); font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  cursor: pointer;
}
button.small {
  width: auto; min-height: 44px; min-width: 56px; margin: 0; padding: 6px 14px;
  background: transparent; color: var(--accent); border: 1px solid var(--line);
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.cards { margin: 0 0 20px; padding: 0; list-style: none; }
.cards li { border-top: 1px solid var(--line); }
.cards form { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 0 12px; padding: 10px 0; }
.cards button { grid-column: 2; grid-row: 1 / span 2; }
.number { grid-column: 1; grid-row: 1; font-variant-numeric: tabular-nums; }
.does { grid-column: 1; grid-row: 2; color: var(--dim); font-size: 14px; }
a { color: var(--accent); }
.refusal { margin: 0 0 12px; padding: 10px 12px; border-radius: 8px; background: var(--bad-page); color: var(--bad); }
.done { color: var(--good); font-weight: 600; }
`;
