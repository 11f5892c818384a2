// The Node servers with which play is compared, each in its own process: node peers.mjs NAME FOLDER
import { createServer } from 'node:http';

const [, , name, folder] = process.argv;
if (name === 'sirv') {
  const { default: sirv } = await import('sirv');
  const serve = sirv(folder, { dev: false, etag: true, maxAge: 0 });
  const server = createServer((request, response) =>
    serve(request, response, () => response.writeHead(404).end()),
  );
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  const { default: fastify } = await import('fastify');
  const { default: files } = await import('@fastify/static');
  const app = fastify();
  app.register(files, { root: folder });
  await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(app.server.address().port);
}
