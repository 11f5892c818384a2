// Reads the guide's Compose file: https://github.com/compose-spec/compose-spec/blob/main/spec.md
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { guideFile } from './guide-file.ts';

export const COMPOSE_FILE: string = guideFile('compose/compose.yaml');
/** The folder of the file. Paths in it are relative to this folder. */
export const COMPOSE_FOLDER: string = dirname(COMPOSE_FILE);

export type ComposeService = {
  readonly image: string;
  readonly user?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  /** `VOLUME:PATH`, or `FILE:PATH:ro`. */
  readonly volumes?: readonly string[];
  /** A path, and perhaps options after a colon. */
  readonly tmpfs: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly networks: { readonly inside: { readonly ipv4_address: string } };
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly restart: string;
  readonly stop_grace_period?: string;
};

export type Compose = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks: { readonly inside: { readonly ipam: { config: [{ subnet: string }] } } };
};

/** Reads the file. */
export function readCompose(): Compose {
  return parse(readFileSync(COMPOSE_FILE, 'utf8'), { merge: true });
}

/** Whether a service runs all the time, and is not a command that ends. */
export function isLasting({ restart }: ComposeService): boolean {
  return restart !== 'no';
}
