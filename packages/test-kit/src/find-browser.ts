import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type BrowserCommand, unpackBundledBrowser } from './bundled-browser.js';

const COMMANDS = ['chromium', 'google-chrome-stable', 'google-chrome', 'chromium-browser'];
const MACOS_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds a Chromium: `CHROMIUM_PATH`, PATH, the applications of macOS, else the one inside an npm package (Linux x64).
 * @throws Error that says what to install when there is none.
 */
export function findBrowser(): BrowserCommand {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen !== undefined) return { executablePath: chosen, env: {} };
  const installed =
    COMMANDS.map(findOnPath).find((file) => file !== undefined) ?? MACOS_APPS.find(existsSync);
  if (installed !== undefined) return { executablePath: installed, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return unpackBundledBrowser();
  throw new Error('There is no Chromium: install Chrome or Chromium, or set CHROMIUM_PATH to its executable');
}

/** Asks for the version, because Ubuntu's `chromium` may be a stub that only says how to install it. */
function findOnPath(command: string): string | undefined {
  const version = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (version.status !== 0 || !/Chrom/.test(version.stdout)) return undefined;
  return spawnSync('which', [command], { encoding: 'utf8' }).stdout.trim();
}
