import { expect, it } from 'vitest';
import { isOfLibrary } from './program.js';

function errorAt(...frames: string[]): Error {
  const error = new Error('broken');
  error.stack = `Error: broken\n${frames.map((frame) => `    at ${frame}`).join('\n')}`;
  return error;
}

const LIBRARY = 'pass (file:///app/node_modules/.pnpm/png-js@2.0.0/node_modules/png-js/lib/png-js.js:278:21)';
const NODE = 'Inflate.zlibBufferOnEnd (node:zlib:165:10)';

it.each([
  ['a library', errorAt(LIBRARY, NODE)],
  [
    'a library in a folder with an at sign',
    errorAt('f (/srv/node_modules/@fastify/static/index.js:1:1)', NODE),
  ],
  ['a promise', errorAt('new Promise (<anonymous>)', 'async node:internal/main/run_main_module:36:49')],
  ['an event of a socket', errorAt('TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16)')],
])('counts an error as one of a library if its stack has only %s', (_, error) => {
  expect(isOfLibrary(error)).toBe(true);
});

it.each([
  ['a function of ours', errorAt(LIBRARY, 'draw (file:///app/dist/pdf.js:1:1)', NODE)],
  ['an arrow function of ours', errorAt(LIBRARY, 'process.<anonymous> (file:///app/dist/main.js:18:11)')],
  ['one of our packages in node_modules', errorAt('f (/app/node_modules/@tollgate/limiter/dist/a.js:1:1)')],
  [
    'one of our packages in the store of pnpm',
    errorAt('f (/app/node_modules/.pnpm/@tollgate+limiter@file/node_modules/@tollgate/limiter/a.js:1:1)'),
  ],
  ['no frame', errorAt()],
  ['no error', 'text'],
])('counts it as ours if there is %s', (_, error) => {
  expect(isOfLibrary(error)).toBe(false);
});
