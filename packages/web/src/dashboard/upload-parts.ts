// Passes the calls of an upload in parts to the API with the visitor's session. The responses are JSON for the upload island.
import { type OpenUpload, PART_CODING_BYTES, type PublishUpload } from '@svc/contracts/platform';
import type { Answer } from '../routes/route.ts';
import { pathParam } from '../visit/visit.ts';
import type { MemberVisit } from './member.ts';
import { readBody, readJson } from './read-body.ts';
import { isDryRun, json, publishedJson, publishQuery, verdictJson } from './upload-build.ts';

/** The headers of a part that the API needs. */
const PART_HEADERS = ['content-type', 'content-digest', 'content-encoding'] as const;

/** Begins or continues an upload. The body is the list of all files. */
export async function openUpload(visit: MemberVisit): Promise<Answer> {
  const { upload_list_bytes } = await visit.web.limits();
  // The API checks the fields of the body.
  const body = (await readJson(visit, upload_list_bytes)) as OpenUpload;
  const params = { id: pathParam(visit, 'id') };
  const { upload } = await visit.uploadApi.call('openUpload', { params, body });
  return json({ upload });
}

/** Sends one part. It is the only part of the request's upload that is in memory. */
export async function sendPart(visit: MemberVisit): Promise<Answer> {
  const { upload_part_bytes } = await visit.web.limits();
  const bytes = await readBody(visit, upload_part_bytes + PART_CODING_BYTES);
  const params = { ...uploadParams(visit), part: pathParam(visit, 'part') };
  await visit.uploadApi.call('uploadPart', {
    params,
    bytes: new Uint8Array(bytes),
    headers: partHeaders(visit),
  });
  return json({});
}

/** Publishes the upload. With `stage=true` it is staged, and with `dry_run=true` checked. The response is that of a ZIP file. */
export async function publishUpload(visit: MemberVisit): Promise<Answer> {
  const { json_body_bytes } = await visit.web.limits();
  const body = (await readJson(visit, json_body_bytes)) as PublishUpload;
  const params = uploadParams(visit);
  const query = publishQuery(visit);
  const answer = await visit.uploadApi.open('publishUpload', { params, query, body });
  return isDryRun(query) ? verdictJson(await answer.json()) : publishedJson(await answer.json());
}

function uploadParams(visit: MemberVisit) {
  return { id: pathParam(visit, 'id'), upload: pathParam(visit, 'upload') };
}

function partHeaders({ request: { headers } }: MemberVisit): Record<string, string> {
  return Object.fromEntries(
    PART_HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
