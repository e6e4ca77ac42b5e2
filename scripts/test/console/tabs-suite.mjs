import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addNotice, reportDecisions } from '../../../apps/control-plane/test/support/stream-events.ts';

const LIVE = '/live';
const TABS = [LIVE, LIVE, LIVE, LIVE, '/', '/tiers', '/tenants', '/offers'];

/** Tabs of one browser, over plain HTTP: it opens six connections to a host. @param {import('./console-app.mjs').ConsoleApp} host */
export function testTabs(host) {
  const streams = new Set();
  let tabs;

  beforeAll(() => {
    host.app.app.getHttpServer().prependListener('request', (request, response) => {
      if (request.url !== '/graphql/stream') return;
      const stream = { response, cookie: request.headers.cookie };
      streams.add(stream);
      response.on('close', () => streams.delete(stream));
    });
  });
  beforeEach(async () => {
    await host.goto('/sign-in');
    await expect.poll(() => streams.size).toBe(0);
    tabs = [];
    await host.become('OWNER');
  });
  afterEach(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    expect(host.errors.splice(0)).toEqual([]);
  });

  /** A new tab, once its document has arrived. */
  async function openTab(address) {
    const tab = await host.page.context().newPage();
    tabs.push(tab);
    await tab.goto(new URL(address, host.origin).href);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    return tab;
  }

  /** Adds a notice and waits until tabs with the same user count it. */
  async function expectNotice(...tabs) {
    const before = await tabs[0].evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query: '{ noticesUnread }' });
      const response = await fetch('/graphql', { method: 'POST', headers, body });
      return (await response.json()).data.noticesUnread;
    });
    const expectUnread = async (count) => {
      const name = count === 0 ? 'Notices' : `${count} unread notice${count === 1 ? '' : 's'}`;
      for (const tab of tabs) await tab.getByRole('button', { name, exact: true }).waitFor();
    };
    await expectUnread(before);
    await addNotice(host.app, 'acme');
    await expectUnread(before + 1);
  }

  const liveTabs = () => tabs.filter((tab) => new URL(tab.url()).pathname === LIVE);

  /** Reports denials and waits until every tab with the live view shows them. */
  async function expectLive() {
    await reportDecisions(host.app, 'acme', 'denied', 3);
    for (const tab of liveTabs()) await tab.getByRole('link', { name: 'acme' }).first().waitFor();
  }

  test('a ninth tab opens, and each receives its events on one connection', async () => {
    for (const address of TABS) await openTab(address);
    await openTab('/webhooks');
    await expectLive();
    await expectNotice(...tabs);
    await expect.poll(() => streams.size).toBe(1);
  });

  test('tabs connect again after the connection breaks', async () => {
    for (const address of [LIVE, LIVE, '/']) await openTab(address);
    await expect.poll(() => streams.size).toBe(1);
    const [broken] = streams;
    broken.response.destroy();
    await expect.poll(() => streams.size === 1 && !streams.has(broken)).toBe(true);
    await expectLive();
  });

  test('the connection ends with the last tab', async () => {
    for (const address of [LIVE, '/']) await openTab(address);
    await expect.poll(() => streams.size).toBe(1);
    await tabs.shift().close();
    await openTab('/tiers');
    await expect.poll(() => streams.size).toBe(1);
    await Promise.all(tabs.map((tab) => tab.close()));
    await expect.poll(() => streams.size).toBe(0);
  });

  test('a user who signs in receives events of the own session', async () => {
    await openTab('/');
    await expect.poll(() => streams.size).toBe(1);
    const [{ cookie: former }] = streams;
    const { cookie } = await host.app.signIn('SUPPORT');
    await host.useCookies(cookie);
    const tab = await openTab('/');
    await expect.poll(() => streams.size).toBe(2);
    expect(new Set([...streams].map((stream) => stream.cookie))).toEqual(new Set([former, cookie]));
    await expectNotice(tab);
  });
}
