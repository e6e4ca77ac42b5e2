import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { BrowserContext } from 'playwright-core';
import { WAIT_LIMIT_MS } from './eventually.js';

export interface BrowserCommand {
  executablePath: string;
  env: Record<string, string>;
}

const require = createRequire(import.meta.url);

/**
 * Unpacks the Chromium of `@sparticuz/chromium` once per machine and version (1.5 s). The package's own
 * `executablePath()` writes loose files into the temporary folder and has fixed font paths.
 */
export function unpackBundledBrowser(): BrowserCommand {
  const packed = path.join(path.dirname(require.resolve('@sparticuz/chromium')), '../../bin');
  const target = path.join(
    tmpdir(),
    `tollgate-chromium-${packageVersion(packed)}-${process.getuid?.() ?? 0}`,
  );
  if (!existsSync(target)) unpack(packed, target);
  return {
    executablePath: path.join(target, 'chromium'),
    env: {
      LD_LIBRARY_PATH: path.join(target, 'nss/lib'),
      FONTCONFIG_FILE: path.join(target, 'fonts.conf'),
    },
  };
}

/** Two test files may do this at the same time. */
function unpack(packed: string, target: string): void {
  const draft = mkdtempSync(`${target}-`);
  const read = (file: string) => brotliDecompressSync(readFileSync(path.join(packed, file)));
  const archives = { nss: 'al2023.tar.br', fonts: 'fonts.tar.br' };
  for (const [folder, archive] of Object.entries(archives)) {
    mkdirSync(path.join(draft, folder));
    const result = spawnSync('tar', ['xf', '-', '-C', path.join(draft, folder)], { input: read(archive) });
    if (result.status !== 0) throw new Error(`cannot unpack ${archive}: ${result.stderr}`);
  }
  const folders = `<dir>${path.join(target, 'fonts')}</dir><cachedir>${path.join(target, 'font-cache')}</cachedir>`;
  const declaration = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">';
  writeFileSync(path.join(draft, 'fonts.conf'), `${declaration}<fontconfig>${folders}</fontconfig>`);
  writeFileSync(path.join(draft, 'chromium'), read('chromium.br'), { mode: 0o755 });
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error; // otherwise somebody else was quicker
  }
}

function packageVersion(packed: string): string {
  const manifest = readFileSync(path.join(packed, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

const COMMANDS = ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];
const MACOS_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * `CHROMIUM_PATH`, else on Linux x64 the one from npm, else an installed one. Tests depend on its version, so all machines of
 * a kind use the same. @throws Error when there is none
 */
export function findBrowser(): BrowserCommand {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen !== undefined) return { executablePath: chosen, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return unpackBundledBrowser();
  const installed =
    COMMANDS.map(findOnPath).find((file) => file !== undefined) ?? MACOS_APPS.find(existsSync);
  if (installed !== undefined) return { executablePath: installed, env: {} };
  throw new Error('There is no Chromium: install Chrome or Chromium, or set CHROMIUM_PATH to its executable');
}

/** Ubuntu's `chromium` may be a stub: check its version. */
function findOnPath(command: string): string | undefined {
  const version = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (version.status !== 0 || !/Chrom/.test(version.stdout)) return undefined;
  return spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
}

export interface TestBrowser {
  context: BrowserContext;
  /** Replaces all cookies. @param header value of a `Cookie` header */
  useCookies(header: string, url: string): Promise<void>;
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** CSS pixels; default 1440 × 900. */
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

// No network access; no sandbox, which root and most containers cannot have.
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

/** Uses an empty profile. @throws as `findBrowser` */
export async function launchBrowser(
  options: BrowserOptions = {},
  browser: BrowserCommand = findBrowser(),
): Promise<TestBrowser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'tollgate-browser-'));
  // Half a second of loading, which most tests of this package's users do not need.
  const { chromium } = await import('playwright-core');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browser.executablePath,
    env: { ...definedVariables(process.env), ...browser.env },
    headless: true,
    args: FLAGS,
    viewport: options.viewport ?? { width: 1440, height: 900 },
    colorScheme: options.colorScheme ?? 'light',
    // Clicks on moving elements may miss.
    reducedMotion: 'reduce',
    // The machine's locale may be invalid for Intl.
    locale: 'en-US',
  });
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  return {
    context,
    useCookies: async (header, url) => {
      await context.clearCookies();
      await context.addCookies(
        header.split('; ').map((text) => {
          const at = text.indexOf('=');
          return { name: text.slice(0, at), value: text.slice(at + 1), url };
        }),
      );
    },
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
