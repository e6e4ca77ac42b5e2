import { type Brand, linkColors } from '@tollgate/contracts/brand';
import { escapeHtml } from '../../../platform/http/console.routes.js';

export const WIDGET_THEMES = ['auto', 'light', 'dark'] as const;
export type WidgetTheme = (typeof WIDGET_THEMES)[number];

const LIGHT =
  '--page:#fff;--text:#151a1b;--soft:#596364;--track:#e3e7e7;--fill:#12857a;--warn:#a37509;--full:#ca4c14';
const DARK =
  '--page:#121617;--text:#e4e9e9;--soft:#98a4a6;--track:#2b3335;--fill:#49baa9;--warn:#e2ae2a;--full:#f98450';

/** The page of the widget. The token stays in its address; the script reads it there. */
export function renderWidgetPage(brand: Brand, theme: WidgetTheme): string {
  const fills = brand.accent === null ? undefined : linkColors(brand.accent);
  const colors = {
    light: fills === undefined ? LIGHT : `${LIGHT};--fill:${fills.light}`,
    dark: fills === undefined ? DARK : `${DARK};--fill:${fills.dark}`,
  };
  const dark = `@media (prefers-color-scheme: dark){:root{${colors.dark}}}`;
  const scheme = theme === 'auto' ? 'light dark' : theme;
  const name = escapeHtml(brand.productName);
  const logo =
    brand.logo === null ? '' : `<img src="${escapeHtml(brand.logo)}" width="18" height="18" alt="">`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Usage · ${name}</title>
<style>:root{color-scheme:${scheme};${theme === 'dark' ? colors.dark : colors.light}}${theme === 'auto' ? dark : ''}
body{margin:0;padding:12px;background:var(--page);color:var(--text);font:13px/1.45 system-ui,sans-serif}
header{display:flex;gap:8px;align-items:center;margin-bottom:10px;font-weight:600;overflow-wrap:anywhere}
h1{margin:0;font-size:13px}ul{list-style:none;margin:0;padding:0}li{margin:0 0 12px}
.row{display:flex;justify-content:space-between;gap:12px}.name{font-weight:500;overflow-wrap:anywhere}
.value{white-space:nowrap;font-variant-numeric:tabular-nums}.note,#state{margin:0;color:var(--soft);font-size:12px}
.track{height:7px;margin:5px 0;border-radius:4px;overflow:hidden;background:var(--track)}
.track i{display:block;height:100%;background:var(--fill)}.track.warn i{background:var(--warn)}.track.full i{background:var(--full)}
</style></head><body><main><header>${logo}<h1>Usage</h1></header>
<ul id="limits" aria-label="Limits"></ul><p id="state" role="status">Loading…</p></main>
<script src="/embed/usage.js"></script></body></html>`;
}

/** The script of the widget: reads the limits every 10 s and asks the embedding page for a new token in time. */
export const WIDGET_SCRIPT = `(() => {
  'use strict';
  const EVERY_MS = 10000, BEFORE_MS = 60000;
  const list = document.getElementById('limits'), state = document.getElementById('state');
  const query = new URLSearchParams(location.search);
  let token = query.get('token') || '', asked = '', timer;
  const number = new Intl.NumberFormat('en');
  const add = (parent, tag, name, text) => {
    const element = parent.appendChild(document.createElement(tag));
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  };
  const ask = () => {
    if (parent === window || asked === token) return;
    asked = token;
    parent.postMessage({ type: 'tollgate:token-needed' }, '*');
  };
  const show = (limits, timeZone) => {
    list.replaceChildren();
    for (const { name, used, limit, per, percent, resetsAt } of limits) {
      const item = add(list, 'li');
      const row = add(item, 'div', 'row');
      add(row, 'span', 'name', name);
      add(row, 'span', 'value', number.format(used) + ' of ' + number.format(limit) + (per ? ' ' + per : ''));
      const track = add(item, 'div', 'track' + (percent >= 100 ? ' full' : percent >= 80 ? ' warn' : ''));
      const marks = { role: 'meter', 'aria-label': name, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent };
      for (const [key, value] of Object.entries(marks)) track.setAttribute(key, String(value));
      add(track, 'i').style.width = percent + '%';
      const resets = resetsAt && new Date(resetsAt).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
      add(item, 'p', 'note', percent + ' %' + (resets ? ' · resets ' + resets : ''));
    }
    state.textContent = limits.length === 0 ? 'No limits to show.' : '';
  };
  const expire = () => {
    list.replaceChildren();
    state.textContent = 'This view has expired. Reload the page.';
    ask();
  };
  const load = async () => {
    clearTimeout(timer);
    const sent = token;
    try {
      const answer = await fetch('/embed/usage/data', { headers: { authorization: 'Bearer ' + sent }, cache: 'no-store' });
      if (sent !== token) return;
      if (answer.status === 401) return expire();
      if (!answer.ok) throw new Error(String(answer.status));
      const { limits, timeZone, expiresAt } = await answer.json();
      show(limits, timeZone);
      const leftMs = new Date(expiresAt) - Date.now();
      if (leftMs < BEFORE_MS) ask();
      timer = setTimeout(load, Math.max(1000, Math.min(EVERY_MS, leftMs)));
    } catch {
      state.textContent = 'Usage is unavailable. Trying again…';
      timer = setTimeout(load, EVERY_MS);
    }
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data || data.type !== 'tollgate:token' || typeof data.token !== 'string') return;
    token = data.token;
    load();
  });
  load();
})();
`;
