import { describe, expect, it } from 'vitest';
import { BlockDecoder } from './hpack.js';

/** Decodes blocks of one connection, in order. */
function decoded(blocks: readonly string[]): string[][] {
  const decoder = new BlockDecoder();
  return blocks.map((hex) => {
    const fields: string[] = [];
    decoder.decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'), ({ name, value }) =>
      fields.push(`${name}: ${value}`),
    );
    return fields;
  });
}

const REQUESTS = [
  [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
  [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'],
  [
    ...[':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'],
    'custom-key: custom-value',
  ],
];
const SET_COOKIE = 'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
const of = (date: string) => [
  ...[
    'cache-control: private',
    `date: Mon, 21 Oct 2013 20:13:${date} GMT`,
    'location: https://www.example.com',
  ],
];
const RESPONSES = [
  [':status: 302', ...of('21')],
  [':status: 307', ...of('21')],
  [':status: 200', ...of('22'), 'content-encoding: gzip', SET_COOKIE],
];
/** The RFC's response examples use a table of 256 bytes, announced in the first block. */
const TABLE_OF_256 = '3fe101';

describe('header blocks: examples of RFC 7541', () => {
  it.each<[string, string[], string[][]]>([
    [
      'C.2.1: kept',
      ['400a637573746f6d2d6b65790d637573746f6d2d686561646572'],
      [['custom-key: custom-header']],
    ],
    ['C.2.2: not kept', ['040c2f73616d706c652f70617468'], [[':path: /sample/path']]],
    ['C.2.3: never kept', ['100870617373776f726406736563726574'], [['password: secret']]],
    ['C.2.4: of the fixed table', ['82'], [[':method: GET']]],
    [
      'C.3: requests without Huffman',
      [
        '828684410f7777772e6578616d706c652e636f6d',
        '828684be58086e6f2d6361636865',
        '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
      ],
      REQUESTS,
    ],
    [
      'C.4: requests with Huffman',
      [
        '828684418cf1e3c2e5f23a6ba0ab90f4ff',
        '828684be5886a8eb10649cbf',
        '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ],
      REQUESTS,
    ],
    [
      'C.5: responses without Huffman, with evictions',
      [
        `${TABLE_OF_256}4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d`,
        '4803333037c1c0bf',
        '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
      ],
      RESPONSES,
    ],
    [
      'C.6: responses with Huffman, with evictions',
      [
        `${TABLE_OF_256}488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3`,
        '4883640effc1c0bf',
        '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      ],
      RESPONSES,
    ],
  ])('%s', (_, blocks, expected) => {
    expect(decoded(blocks)).toEqual(expected);
  });

  it.each([
    ['no field has the number 0', '80'],
    ['rejects an index above the table', 'be'],
    ['a name of a number that nothing has', '7f00'],
    ['a text that is cut off', '400a6375'],
    ['a number that is cut off', 'ff'],
    ['a number that never ends', 'ffffffffffffffffffffff'],
    ['a table that is larger than it may be', '3fe21f'],
    ['a table that changes behind a field', '8220'],
    ['the end of a text within it', `0085${'ff'.repeat(5)}00`],
    ['padding of a whole byte', '0082 1fff ff 00'.replaceAll(' ', '')],
    ['padding that is not made of ones', '00811800'],
  ])('%s is an error', (_, hex) => {
    expect(() => decoded([hex])).toThrow(expect.objectContaining({ name: 'ConnectionError', code: 9 }));
  });

  it('a table that is emptied has nothing, and fills again', () => {
    expect(() => decoded(['400161 0162', '20', 'be'])).toThrow('no field has the number 62');
    expect(decoded(['4001610162', '20', '3fe11f 4001630164', 'be'])[3]).toEqual(['c: d']);
  });

  it('a field that is larger than the table empties it, and is no error', () => {
    const large = `4001 61 7f8120 ${'62'.repeat(4224)}`;
    expect(decoded(['4001630164', large])[1]?.[0]).toHaveLength(4224 + 3);
    expect(() => decoded(['4001630164', large, 'be'])).toThrow('no field has the number 62');
  });
});
