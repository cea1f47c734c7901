// `npm run conformance`: asks a running Dowser with the official MCP conformance suite and the MCP inspector. Exits with 1 if a check
// of something that Dowser claims fails. Both are fetched once, in pinned versions; they are too large for a dependency.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isNotClaimed } from './conformance/not-claimed.mjs';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

const PACKAGES = { '@modelcontextprotocol/conformance': '0.2.0-alpha.12', '@modelcontextprotocol/inspector': '2.12.0' };
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];
const tools = join(root, 'node_modules', '.cache', 'conformance');
const MAIN = join(root, 'dist', 'cli', 'main.js');
const SUITE = join(tools, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const INSPECTOR = join(
  tools,
  'node_modules',
  '@modelcontextprotocol',
  'inspector',
  'clients',
  'launcher',
  'build',
  'index.js',
);
const ON_OLDER_NODE = pathToFileURL(join(root, 'scripts', 'conformance', 'older-node.mjs')).href;

function fetchTools() {
  const stamp = join(tools, 'package.json');
  const wanted = JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(SUITE) && existsSync(INSPECTOR)) return;
  rmSync(tools, { recursive: true, force: true });
  mkdirSync(tools, { recursive: true });
  writeFileSync(stamp, wanted);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: tools,
    stdio: 'inherit',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const CATALOG = [
  {
    type: 'mcp_server',
    path: '/weather',
    name: 'Weather',
    description: 'Tells the weather',
    tools: [{ name: 'forecast', description: 'The weather of tomorrow' }],
  },
  {
    type: 'skill',
    path: '/skills/pdf-forms',
    name: 'pdf-forms',
    description: 'Fill in PDF forms. Use it for forms.',
    body: '# Forms\n\nFill them in.',
  },
];

async function startDowser(dir) {
  const env = { ...process.env, DOWSER_DATA: join(dir, 'data'), EMBEDDINGS_PROVIDER: 'off' };
  writeFileSync(join(dir, 'catalog.jsonl'), CATALOG.map((entity) => JSON.stringify(entity)).join('\n'));
  spawnSync(process.execPath, [MAIN, 'import', join(dir, 'catalog.jsonl')], { env, stdio: 'ignore' });
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const hear = (text) => {
      said += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('exit', () => reject(new Error(`Dowser did not start: ${said}`)));
  });
  return { url, env, stop: () => child.kill('SIGTERM') };
}

/** Waits without blocking, so that the server of this process is read meanwhile. */
function ask(args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

async function runSuite(url, revision, dir) {
  const out = join(dir, revision);
  const args = ['--import', ON_OLDER_NODE, SUITE, 'server', '--url', `${url}/mcp`, '--suite', 'all'];
  await ask([...args, '--spec-version', revision, '--output-dir', out]);
  const counts = { passed: 0, warnings: 0, 'not claimed': 0 };
  const failures = [];
  for (const folder of existsSync(out) ? readdirSync(out) : []) {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    for (const check of JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8'))) {
      if (check.status === 'SUCCESS') counts.passed++;
      else if (check.status === 'WARNING') counts.warnings++;
      else if (check.status === 'FAILURE') {
        if (isNotClaimed(scenario, check)) counts['not claimed']++;
        else failures.push(`${scenario} ${check.id}: ${check.errorMessage ?? ''}`);
      }
    }
  }
  if (counts.passed === 0) failures.push('no check ran');
  return { name: `MCP conformance ${revision}`, counts, failures };
}

async function runInspector(url, env) {
  const overHttp = [`${url}/mcp`, '--transport', 'http'];
  const overStdio = ['-e', `DOWSER_DATA=${env.DOWSER_DATA}`, '-e', 'EMBEDDINGS_PROVIDER=off'];
  const program = [process.execPath, MAIN, 'mcp'];
  const runs = [
    ['tools/list over HTTP, strict', [...overHttp, '--method', 'tools/list', '--strict'], '"search_tools"'],
    [
      'tools/list over stdio, strict',
      [...overStdio, '--method', 'tools/list', '--strict', ...program],
      '"search_tools"',
    ],
    [
      'tools/call',
      [...overHttp, '--method', 'tools/call', '--tool-name', 'search_tools', '--tool-arg', 'query=weather'],
      '/weather',
    ],
    ['resources/list', [...overHttp, '--method', 'resources/list'], 'skill://skills/pdf-forms/SKILL.md'],
    ['skills/list, verified', [...overHttp, '--method', 'skills/list', '--verify', '--require-digests'], 'pdf-forms'],
  ];
  const failures = [];
  for (const [name, args, expected] of runs) {
    const { code, stdout, stderr } = await ask([INSPECTOR, '--cli', ...args], { env });
    if (code !== 0 || !stdout.includes(expected)) failures.push(`${name}: exit ${code} ${stderr.slice(0, 500)}`);
  }
  return { name: 'MCP inspector', counts: { passed: runs.length - failures.length }, failures };
}

await ensureInstalled();
ensureBuilt();
fetchTools();
const dir = mkdtempSync(join(tmpdir(), 'dowser-conformance-'));
const dowser = await startDowser(dir);
let failed = false;
try {
  const reports = [];
  for (const revision of REVISIONS) reports.push(await runSuite(dowser.url, revision, dir));
  reports.push(await runInspector(dowser.url, dowser.env));
  for (const { name, counts, failures } of reports) {
    const figures = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    console.log(`${name}: ${figures.join(', ')}, ${failures.length} failed`);
    for (const failure of failures) console.log(`  ${failure}`);
    failed ||= failures.length > 0;
  }
} finally {
  dowser.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
