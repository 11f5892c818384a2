// Sends a page with its HTML shell and its security headers.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Visit } from '../visit/visit.ts';
import type { Page } from './page.ts';
import { pageHeaders } from './page-headers.ts';
import { pageShell } from './page-shell.ts';

/** Sends a page. `mediaOrigin` is the origin of its images and trailers; null for a page without media. */
export function sendPage(
  visit: Visit,
  page: Page,
  mediaOrigin: string | null = null,
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return visit.reply
    .code(page.status ?? 200)
    .headers({ ...pageHeaders(visit.web, page, nonce, mediaOrigin), ...page.headers })
    .type('text/html; charset=utf-8')
    .send(pageShell(visit, page, nonce).text);
}
