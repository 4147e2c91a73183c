import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Nothing but what this server sends: no inline script, no foreign host, no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Serves the approval page (`api:page`): static modules that hold no data and need no token. What they show they ask
 * of the API, with the token of whoever reads.
 */
export function servePage(api: FastifyInstance): void {
  const directory = dirname(createRequire(import.meta.url).resolve('holdfast/page/index.html'));
  for (const name of readdirSync(directory)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = readFileSync(join(directory, name));
    api.route({
      method: 'GET',
      url: name === 'index.html' ? '/' : `/page/${name}`,
      config: { roles: 'everybody' },
      handler: async (_request, reply) =>
        reply
          .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
          .type(type)
          .send(content),
    });
  }
}
