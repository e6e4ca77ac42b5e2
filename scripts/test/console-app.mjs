import path from 'node:path';
import { collectErrors } from '../../apps/console/test/screens.ts';
import { startTestApp } from '../../apps/control-plane/test/support/test-app.ts';
import { startOnPort } from '../../packages/embedded/src/index.ts';
import { launchBrowser } from '../../packages/test-kit/src/index.ts';

const DIST = path.resolve(import.meta.dirname, '../../apps/console/dist');

/**
 * Starts a control plane that serves the built console, and a browser. The origin of the console is a setting, so the port is
 * chosen first. `become` signs in as a new operator with a role.
 * @param {Record<string, string>} more further environment variables
 * @param {string} host loopback host of the origin
 */
export async function startConsole(more = {}, host = '127.0.0.1') {
  const { app, origin } = await startOnPort(undefined, async (port) => {
    const own = { PORT: String(port), PUBLIC_URL: `http://${host}:${port}`, CONSOLE_DIR: DIST };
    return { app: await startTestApp({ ...own, ...more }), origin: own.PUBLIC_URL };
  });
  const browser = await launchBrowser();
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  const useCookies = async (cookie) => {
    await browser.context.clearCookies();
    await browser.context.addCookies(cookie.split('; ').map((text) => ({ ...cookieOf(text), url: origin })));
  };
  return {
    app,
    page,
    errors: collectErrors(page),
    become: async (role) => {
      const { cookie = '' } = await app.signIn(role);
      await useCookies(cookie);
    },
    useCookies,
    goto: async (to) => {
      await page.goto(new URL(to, origin).href);
    },
    stop: async () => {
      await browser.close();
      await app.stop();
    },
  };
}

function cookieOf(text) {
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
