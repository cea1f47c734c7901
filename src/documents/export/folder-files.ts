import { CONFIG_FILE, DEFAULT_PORT, type ExportedConfig, INDEX_FOLDER, SERVER_FOLDER } from './exported-config.ts';

export interface FolderFacts {
  readonly config: ExportedConfig;
  readonly note: string;
  readonly files: number;
  readonly chunks: number;
  /** A question that the collection answers, for the smoke test. */
  readonly question: string;
  /** Packages with their versions. */
  readonly packages: Readonly<Record<string, string>>;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const MAIN = `${SERVER_FOLDER}/http/exported/main.js`;

/** The files of an exported folder besides the index, the server and its packages, by name. */
export function folderFiles(facts: FolderFacts): Readonly<Record<string, string>> {
  const { config, packages } = facts;
  const slug =
    config.collection
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'documents';
  return {
    [CONFIG_FILE]: json(config),
    'package.json': json({
      name: `${slug}-search`,
      version: config.dowser,
      private: true,
      type: 'module',
      engines: { node: '>=20.19' },
      scripts: { start: `node ${MAIN}`, smoke: 'node smoke-test.js' },
      dependencies: packages,
    }),
    Dockerfile: dockerfile(),
    '.dockerignore': 'Dockerfile\nREADME.md\n',
    'README.md': readme(facts),
    'smoke-test.js': smokeTest(facts),
  };
}

function dockerfile(): string {
  return `FROM node:22-slim
WORKDIR /app
COPY . .
# Packages with parts for this platform. Without a network, those of the folder are used.
RUN npm install --omit=dev --no-audit --no-fund || true
ENV DOWSER_HOST=0.0.0.0 PORT=${DEFAULT_PORT}
EXPOSE ${DEFAULT_PORT}
USER node
CMD ["node", "${MAIN}"]
`;
}

function readme({ config, note, files, chunks }: FolderFacts): string {
  const { collection, embeddings, dowser } = config;
  const model =
    embeddings.provider === 'off'
      ? 'It was exported without a model: it searches by keyword.'
      : `Vectors are of the model \`${embeddings.model ?? embeddings.provider}\`. The server embeds questions with the same one, and searches by keyword while it is not there. See the settings \`DOWSER_MODELS\` and \`EMBEDDINGS_API_KEY\`.`;
  return `# ${collection}

${note === '' ? '' : `${note}\n\n`}A search server for ${files} documents (${chunks} chunks), exported by Dowser ${dowser}. It only reads.

\`\`\`sh
npm start            # http://127.0.0.1:${DEFAULT_PORT}; set PORT and DOWSER_HOST for another address
npm run smoke        # starts it, asks one question, and stops it
\`\`\`

Nothing has to be installed where the platform is that of the export. Elsewhere run \`npm install\` first, or \`docker build .\`.

| Route | |
|---|---|
| \`GET /health\`, \`GET /stats\`, \`GET /sources\` | what is served |
| \`POST /search\` | \`{"query": "...", "top_k": 10, "mode": "hybrid"}\` |
| \`GET /chunks/{id}\` | one chunk |
| \`POST /chat\` | \`{"question": "..."}\`: sources, then an answer if \`DOWSER_CHAT_URL\`, \`DOWSER_CHAT_MODEL\` and \`DOWSER_CHAT_KEY\` are set |
| \`POST /mcp\` | MCP: \`search\`, \`fetch\`, \`get_chunk\`, \`list_sources\`, \`stats\` |

${model}

Web pages of every origin may use these routes, except \`/mcp\`: whoever opens a page lets it read the collection, and ask your chat model if one
is set. To allow only some, set \`allowed_origins\` in \`${CONFIG_FILE}\` to a list such as \`["https://docs.example.com"]\`, or to \`[]\` for none;
\`DOWSER_ALLOWED_ORIGINS\` goes before it.

The index is in \`${INDEX_FOLDER}/\`, the server in \`${SERVER_FOLDER}/\`. There is no key in this folder.
`;
}

function smokeTest({ question }: FolderFacts): string {
  return `// Starts the server on a free port, asks one question, and stops it.
import { spawn } from 'node:child_process';

const server = spawn(process.execPath, ['${MAIN}'], {
  cwd: import.meta.dirname,
  env: { ...process.env, PORT: '0', DOWSER_HOST: '127.0.0.1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
server.stdout.setEncoding('utf8');
let said = '';
for await (const text of server.stdout) {
  said += text;
  if (said.includes('\\n')) break;
}
try {
  const url = /http:\\S+/.exec(said)[0];
  const health = await (await fetch(new URL('/health', url))).json();
  if (health.status !== 'ok' || health.chunks === 0) throw new Error(JSON.stringify(health));
  const response = await fetch(new URL('/search', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify({ query: question, mode: 'keyword' }))},
  });
  const { results } = await response.json();
  if (!response.ok || results.length === 0) throw new Error(\`The search found nothing (\${response.status}).\`);
  console.log(\`ok: \${health.chunks} chunks of \${health.project}\`);
} finally {
  server.kill();
}
`;
}
