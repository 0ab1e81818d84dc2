// Proxy that can go away and come back, so that tests can take any server from a page.
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

export async function make_proxy(target) {
  const { hostname, port, host, origin } = new URL(target);
  const open = new Set();
  let number = 0;
  let server = null;
  const headers_for = (headers) => ({ ...headers, host, ...(headers.origin ? { origin } : {}) });
  const start = () => new Promise((done) => {
    server = createServer((req, res) => {
      const up = request({ hostname, port, path: req.url, method: req.method, headers: headers_for(req.headers) }, (answer) => {
        res.writeHead(answer.statusCode, answer.headers);
        answer.pipe(res);
      });
      up.on('error', () => res.destroy());
      req.pipe(up);
    });
    server.on('connection', (socket) => open.add(socket));
    server.on('upgrade', (req, socket, head) => {
      const up = connect(port, hostname, () => {
        up.write(`GET ${req.url} HTTP/1.1\r\n${Object.entries(headers_for(req.headers)).map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n`);
        up.write(head);
        socket.pipe(up).pipe(socket);
      });
      for (const end of [socket, up]) {
        open.add(end);
        end.on('error', () => end.destroy());
        end.on('close', () => { socket.destroy(); up.destroy(); });
      }
    });
    server.listen(number, '127.0.0.1', () => {
      number = server.address().port;
      done();
    });
  });
  const stop = () => new Promise((done) => {
    server.close(() => done());
    for (const socket of open) socket.destroy();
    open.clear();
  });
  await start();
  return { url: `http://127.0.0.1:${number}/`, start, stop };
}
