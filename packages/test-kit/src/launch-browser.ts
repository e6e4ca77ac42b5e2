import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import type { BrowserCommand } from './bundled-browser.js';
import { findBrowser } from './find-browser.js';

export interface TestBrowser {
  context: BrowserContext;
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** CSS pixels; default 1440 by 900. */
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

// Nothing that leaves the machine, and no sandbox, which neither root nor most containers can have.
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a headless Chromium with an empty profile of its own.
 * @throws Error when no browser is found, see `findBrowser`.
 */
export async function launchBrowser(
  options: BrowserOptions = {},
  browser: BrowserCommand = findBrowser(),
): Promise<TestBrowser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'tollgate-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.executablePath,
    env: { ...definedVariables(process.env), ...browser.env },
    headless: true,
    args: FLAGS,
    viewport: options.viewport ?? { width: 1440, height: 900 },
    colorScheme: options.colorScheme ?? 'light',
    // A click on something that moves may miss it.
    reducedMotion: 'reduce',
    // The machine's own may be `en-US@posix`, which is no language to Intl.
    locale: 'en-US',
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function definedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
