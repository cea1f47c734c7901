#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { isLoopbackName } from '../../access/reach.ts';
import { loadSettings, type SettingsInput } from '../../config.ts';
import { createDocuments } from '../../documents/create-documents.ts';
import {
  CONFIG_FILE,
  DEFAULT_PORT,
  exportedConfigSchema,
  INDEX_FOLDER,
} from '../../documents/export/exported-config.ts';
import { createMemories } from '../../memories/create-memories.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { openRegistry } from '../../open.ts';
import { openChat } from '../../open-documents.ts';
import { serverLoad } from '../load/server-load.ts';
import type { Logger } from '../log/logger.ts';
import { createCollectionApp } from './collection-app.ts';

/** The program of an exported folder: serves its collection until it is stopped. */
const folder = fileURLToPath(new URL('../../../', import.meta.url));
const config = parseWith(
  exportedConfigSchema,
  JSON.parse(readFileSync(join(folder, CONFIG_FILE), 'utf8')),
  CONFIG_FILE,
  'INVALID_FILE',
);

/** The model is that of the vectors. Keys and addresses are of the environment. */
const { embeddings, allowed_origins } = config;
const { PORT, DOWSER_PORT, DOWSER_ALLOWED_ORIGINS = '' } = process.env;
const isNamed = DOWSER_ALLOWED_ORIGINS.trim() !== '';
const flags = {
  data_dir: join(folder, INDEX_FOLDER),
  embeddings_provider: embeddings.provider,
  ...(embeddings.model === undefined ? {} : { embeddings_model_name: embeddings.model }),
  ...(embeddings.dimensions === undefined ? {} : { embeddings_dimensions: embeddings.dimensions }),
  ...((PORT ?? DOWSER_PORT) === undefined ? { port: DEFAULT_PORT } : {}),
  ...(isNamed || allowed_origins === '*' ? {} : { allowed_origins }),
} as SettingsInput;
const { settings } = loadSettings({ flags });

/** Problems only, one JSON object per line. */
const line = (level: string) => (facts: object, message: string) => {
  process.stderr.write(`${JSON.stringify({ level, message, ...facts })}\n`);
};
const logger: Logger = { info() {}, warn: line('warn'), error: line('error') };

const registry = await openRegistry(settings, { readOnly: true });
const app = createCollectionApp({
  registry,
  documents: createDocuments(registry),
  memories: createMemories(registry),
  collection: config.collection,
  chat: await openChat(settings),
  version: config.dowser,
  load: serverLoad(settings),
  logger,
  loopbackOnly: isLoopbackName(settings.host),
  publicUrl: settings.public_url,
  allowedHosts: [...settings.allowed_hosts, settings.host],
  allowedOrigins: settings.allowed_origins,
  anyOrigin: !isNamed && allowed_origins === '*',
  remoteWrites: false,
});
const server = createServer(getRequestListener(app.fetch));
server.listen({ host: settings.host, port: settings.port }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${config.collection}: http://${settings.host}:${port}\n`);
});
const stop = () => {
  server.close(() => void registry.close().then(() => process.exit(0)));
  server.closeAllConnections();
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
