import cluster from 'node:cluster';
import { createServer } from 'node:http';

// The least that a server over node:http can do for the same request: it parses the body and answers a constant, of the
// size and with the headers of a decision. Usage: bare-server.ts <processes> <answer> <headers as JSON>

const [processes = '1', answer = '', headers = '{}'] = process.argv.slice(2);

if (cluster.isPrimary && Number(processes) > 1) {
  for (let i = 0; i < Number(processes); i++) cluster.fork();
} else {
  const head = {
    ...(JSON.parse(headers) as Record<string, string>),
    'Content-Length': Buffer.byteLength(answer),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, head);
      response.end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ port: (server.address() as { port: number }).port }));
  });
}
