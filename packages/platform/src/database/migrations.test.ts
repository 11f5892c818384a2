import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from './open-database.ts';

/** The schema after all migrations. A new migration changes it; an edit of a released one must not. */
const SCHEMA = `
CREATE TABLE "attempts" ("id" text primary key, "game_id" text not null, "kind" text not null, "state" text not null, "beat_at" bigint not null)
CREATE INDEX "attempts_not_committed" on "attempts" ("state", "beat_at") where "state" <> 'committed'
CREATE INDEX "attempts_of_game" on "attempts" ("game_id")
CREATE UNIQUE INDEX "attempts_one_publish" on "attempts" ("game_id") where "state" = 'open' and "kind" = 'publish'
CREATE TABLE "audit" ("id" text primary key, "at" bigint not null, "uid" text, "token_id" text, "action" text not null, "subject" text not null, "detail" text, "operator" text)
CREATE INDEX "audit_of_subject" on "audit" ("subject", "id")
CREATE INDEX "audit_of_user" on "audit" ("uid", "id")
CREATE TABLE "avatars" ("id" text primary key, "uid" text not null unique references "users" ("uid"), "bytes" integer not null, "content" blob not null, "created_at" bigint not null)
CREATE TABLE "backups" ("id" text primary key, "made_at" bigint not null)
CREATE TABLE "compatible_migrations" ("name" text primary key)
CREATE TABLE "daily_counts" ("game_id" text not null references "games" ("id") on delete cascade, "day" text not null, "kind" text not null, "name" text not null, "count" bigint not null, constraint "daily_counts_key" primary key ("game_id", "day", "kind", "name"))
CREATE INDEX "daily_counts_by_kind" on "daily_counts" ("kind", "day")
CREATE TABLE "ended_sessions" ("hash" text primary key, "at" bigint not null, "until" bigint not null)
CREATE INDEX "ended_sessions_until" on "ended_sessions" ("until")
CREATE TABLE "game_tags" ("game_id" text not null references "games" ("id") on delete cascade, "tag" text not null, "category" text, "published_at" bigint not null, constraint "game_tags_key" primary key ("game_id", "tag"))
CREATE INDEX "game_tags_by_category" on "game_tags" ("tag", "category", "published_at" desc, "game_id" desc)
CREATE INDEX "game_tags_newest" on "game_tags" ("tag", "published_at" desc, "game_id" desc)
CREATE TABLE "games" ("id" text primary key, "developer_uid" text not null references "users" ("uid"), "title" text not null, "slug" text not null unique, "engine" text not null, "tagline" text, "description" text, "category" text, "tags" text not null, "layout" text, "isolation" text, "status" text not null, "live_release_id" text, "banner_id" text, "cover_id" text, "trailer_id" text, "screenshots" text not null, "created_at" bigint not null, "updated_at" bigint not null, "published_at" bigint, "content_bytes" bigint default 0 not null, "profiling" integer default 0 not null, "address" text, "page_slug" text, "owner_status" text, "taken_down_at" bigint, "taken_down_reason" text, "deleted_at" bigint)
CREATE INDEX "games_by_category" on "games" ("category", "published_at" desc, "id" desc) where "status" = 'published'
CREATE INDEX "games_deleted" on "games" ("deleted_at") where "deleted_at" is not null
CREATE INDEX "games_newest" on "games" ("published_at" desc, "id" desc) where "status" = 'published'
CREATE INDEX "games_newest_first" on "games" ("created_at" desc, "id" desc)
CREATE INDEX "games_of_developer" on "games" ("developer_uid", "created_at" desc, "id" desc)
CREATE INDEX "games_public_of_developer" on "games" ("developer_uid", "published_at" desc, "id" desc) where "status" = 'published'
CREATE TABLE "kept_manifests" ("manifest_id" text primary key references "manifests" ("id") on delete cascade, "game_id" text not null references "games" ("id") on delete cascade, "until" bigint not null)
CREATE INDEX "kept_manifests_game_id" on "kept_manifests" ("game_id")
CREATE INDEX "kept_manifests_until" on "kept_manifests" ("until")
CREATE TABLE "manifests" ("id" text primary key, "release_id" text not null references "releases" ("id") on delete cascade, "content" blob not null, "facts" blob)
CREATE INDEX "manifests_of_release" on "manifests" ("release_id")
CREATE TABLE "media" ("id" text primary key, "game_id" text not null references "games" ("id") on delete cascade, "kind" text not null, "file" text not null, "type" text not null, "width" integer, "height" integer, "bytes" bigint not null, "alt" text, "variants" text not null, "created_at" bigint not null, "place" text, "hash" text)
CREATE INDEX "media_of_game" on "media" ("game_id")
CREATE TABLE "notices" ("id" text primary key, "uid" text not null references "users" ("uid") on delete cascade, "at" bigint not null, "kind" text not null, "game_id" text, "title" text, "slug" text, "version" text, "detail" text, "read_at" bigint, "mail_at" bigint, "mail_tries" integer not null)
CREATE INDEX "notices_by_time" on "notices" ("at")
CREATE INDEX "notices_of_user" on "notices" ("uid", "id")
CREATE INDEX "notices_to_mail" on "notices" ("mail_at") where "mail_at" is not null
CREATE INDEX "notices_unread" on "notices" ("uid") where "read_at" is null
CREATE TABLE "previews" ("id" text primary key, "game_id" text not null references "games" ("id") on delete cascade, "release_id" text not null references "releases" ("id") on delete cascade, "name" text, "created_at" bigint not null, "expires_at" bigint not null, "last_used_at" bigint, "owns_release" integer not null, constraint "previews_name" unique ("game_id", "name"))
CREATE INDEX "previews_of_release" on "previews" ("release_id")
CREATE TABLE "publishers" ("id" text primary key, "game_id" text not null references "games" ("id") on delete cascade, "provider" text not null, "issuer" text not null, "audience" text, "repository" text, "repository_id" text, "subject" text, "branch" text, "environment" text, "workflow" text, "created_at" bigint not null, "last_used_at" bigint)
CREATE INDEX "publishers_of_game" on "publishers" ("game_id")
CREATE TABLE "releases" ("id" text primary key, "game_id" text not null references "games" ("id") on delete cascade, "version" text not null, "notes" text, "created_at" bigint not null, "zip_bytes" bigint not null, "expanded_bytes" bigint not null, "file_count" integer not null, "digest" text not null, "isolation" text not null, "deleted_at" bigint, "place" text, "manifest_id" text, "zip_stored" integer default 1 not null, "staged" integer default 0 not null, "replaced_at" bigint, "playable" integer default 0 not null, "address" text, "provenance" text, "taken_down_at" bigint, "taken_down_reason" text, constraint "releases_version" unique ("game_id", "version"))
CREATE INDEX "releases_of_game" on "releases" ("game_id", "created_at" desc, "id" desc)
CREATE TABLE "removal_holds" ("id" text primary key, "until" bigint not null)
CREATE TABLE "removals" ("id" text primary key, "game_id" text not null, "kind" text not null, "created_at" bigint not null)
CREATE TABLE "reports" ("id" text primary key, "created_at" bigint not null, "game_id" text not null, "title" text not null, "slug" text not null, "developer_uid" text not null, "version" text, "reason" text not null, "text" text, "resolved_at" bigint, "resolved_by" text, "operator" text, "outcome" text, "note" text)
CREATE INDEX "reports_of_developer" on "reports" ("developer_uid", "id")
CREATE INDEX "reports_of_game" on "reports" ("game_id", "id")
CREATE INDEX "reports_open" on "reports" ("id") where "resolved_at" is null
CREATE INDEX "reports_resolved" on "reports" ("resolved_at") where "resolved_at" is not null
CREATE TABLE "search_terms" ("kind" text not null, "term" text not null, "subject_id" text not null, "at" bigint not null, constraint "search_terms_key" primary key ("subject_id", "kind", "term"))
CREATE INDEX "search_terms_newest" on "search_terms" ("kind", "term", "at" desc, "subject_id" desc)
CREATE TABLE "secrets" ("name" text primary key, "value" text not null)
CREATE TABLE "slugs" ("slug" text primary key, "developer_uid" text not null, "game_id" text references "games" ("id") on delete set null)
CREATE INDEX "slugs_of_game" on "slugs" ("game_id") where "game_id" is not null
CREATE TABLE "tokens" ("id" text primary key, "uid" text not null references "users" ("uid"), "hash" text not null unique, "name" text not null, "scopes" text not null, "projects" text, "created_at" bigint not null, "expires_at" bigint, "last_used_at" bigint, "revoked_at" bigint, "publisher_id" text, "provenance" text)
CREATE INDEX "tokens_of_publisher" on "tokens" ("publisher_id", "expires_at") where "publisher_id" is not null
CREATE INDEX "tokens_of_user" on "tokens" ("uid", "created_at" desc, "id" desc)
CREATE TABLE "uploads" ("id" text primary key, "game_id" text not null references "games" ("id") on delete cascade, "digest" text not null, "listing" blob not null, "bytes" bigint not null, "part_bytes" integer not null, "created_at" bigint not null, "touched_at" bigint not null, constraint "uploads_digest" unique ("game_id", "digest"))
CREATE TABLE "used_id_tokens" ("hash" text primary key, "until" bigint not null)
CREATE TABLE "users" ("uid" text primary key, "issuer" text not null, "sub" text not null, "email" text, "name" text not null, "avatar" text, "name_edited" integer not null, "avatar_edited" integer not null, "role" text not null, "created_at" bigint not null, "avatar_id" text, "role_chosen_at" bigint, "suspended_at" bigint, "suspended_reason" text, "sessions_ended_at" bigint, "quota_projects" integer, "quota_project_bytes" bigint, "mail_off" text, "deleted_at" bigint, constraint "users_identity" unique ("issuer", "sub"))
CREATE INDEX "users_newest_first" on "users" ("created_at" desc, "uid" desc)
`;

test('the migrations create exactly these tables, constraints and indexes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-schema-'));
  t.after(() => rm(folder, { recursive: true }));
  const { db } = await openDatabase(folder, null);
  const { rows } = await sql<{ sql: string }>`select sql from sqlite_master
    where sql is not null and name not like 'kysely%'
    order by tbl_name, type desc, name`.execute(db);
  await db.destroy();
  assert.deepEqual(
    rows.map((row) => row.sql),
    SCHEMA.trim().split('\n'),
  );
});
