import { readFileSync } from 'node:fs';
import { format } from 'node:util';

const IMPORT = /^import \{ (.+) \} from '(.+)';$/gm;
const LOG = /^console\.log\(.*\); \/\/ (.*)$/gm;

export type Importable = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ExampleRun {
  logged: string[];
  /** Expected output in comments beside `console.log`. */
  promised: string[];
}

export function codeBlocksOf(document: URL, language: string): string[] {
  const blocks = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms');
  return [...readFileSync(document, 'utf8').matchAll(blocks)].map(([, text = '']) => text);
}

/** @param given names from earlier examples */
export async function runExample(
  example: string,
  importable: Importable,
  given: Readonly<Record<string, unknown>> = {},
): Promise<ExampleRun> {
  const names: Record<string, unknown> = { ...given };
  for (const [, imported = '', from = ''] of example.matchAll(IMPORT)) {
    for (const name of imported.split(', ')) {
      const value = importable[from]?.[name];
      if (value === undefined) throw new Error(`${from} has no ${name}`);
      names[name] = value;
    }
  }
  const logged: string[] = [];
  const log = (...values: unknown[]) => void logged.push(format(...values));
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const body = new AsyncFunction(...Object.keys(names), 'console', example.replace(IMPORT, ''));
  await body(...Object.values(names), { log });
  return { logged, promised: [...example.matchAll(LOG)].map(([, text = '']) => text) };
}
