import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

export interface BrowserCommand {
  executablePath: string;
  /** Additions to the environment that this browser needs. */
  env: Record<string, string>;
}

const require = createRequire(import.meta.url);

/**
 * Unpacks the Chromium of `@sparticuz/chromium` with its libraries and fonts, once per machine and version (1.5 s).
 *
 * Not through the package's own `executablePath()`: that writes loose files into the temporary folder, and its font
 * configuration has fixed paths, so that text would be invisible.
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

/** Into a folder of its own first: two test files may do this at the same time. */
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
