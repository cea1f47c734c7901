import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { KnownModel, PinnedFolder } from '../models/known-models.ts';
import { fetchFailed } from '../models/model-errors.ts';
import { type FetchModelOptions, isRunning } from '../models/model-fetch.ts';
import { modelsDirectory } from '../models/model-store.ts';
import { addModel, MODEL_FILES, WEIGHTS } from './add-model.ts';

/** How `dowser model use` names a model of the hub: `hf:OWNER/NAME`, or `hf:OWNER/NAME@REVISION`. */
export const HUB_PREFIX = 'hf:';
export const HUB = 'https://huggingface.co';
const CLAIM = '.claimed-';

export interface HubModelOptions extends Pick<FetchModelOptions, 'onProgress' | 'signal'> {
  readonly modelsDir?: string | undefined;
  readonly language?: 'English' | undefined;
  /** A mirror with the routes of the hub. Default: the hub itself. */
  readonly endpoint?: string | undefined;
  /** Give up a download that receives nothing for this long. Default 30 s. */
  readonly stallMs?: number;
}

/** A file as the hub describes it. Of large files it knows the SHA-256, of small ones the id that Git gives them. */
interface HubFile {
  readonly name: string;
  readonly bytes: number;
  readonly digest: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

interface HubModel {
  readonly repository: string;
  /** The commit that the revision named when it was asked. */
  readonly commit: string;
  readonly license: string | undefined;
  readonly files: readonly HubFile[];
}

const MAX_BYTES = 2 * 1024 ** 3;
const MAX_METADATA_CHARS = 5_000_000;
/** Attempts in a row that receive nothing. One that receives something starts the count again. */
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 500;
/** Unfinished downloads, in the store. Models are folders without a dot. */
const UNFINISHED = '.hub';
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Downloads a sentence model of the hub and adds it to the store. The revision is pinned to its commit, and each file is checked
 * against the hub's own metadata. What was received stays when it fails or is stopped, and the next call goes on from there.
 *
 * Throws INVALID_REQUEST, MODEL_DOWNLOAD_FAILED, MODEL_CORRUPT, STORE_FULL, and the signal's reason when aborted.
 */
export async function addHubModel(named: string, options: HubModelOptions = {}): Promise<KnownModel> {
  const { repository, revision } = parseName(named);
  const endpoint = parseEndpoint(options.endpoint);
  const store = options.modelsDir ?? modelsDirectory();
  const asFolder: PinnedFolder = { name: repository, addedAs: repository, from: named, packages: NO_PACKAGES };
  let claimed: string | undefined;
  let isDone = false;
  try {
    const model = await describe(endpoint, repository, revision, options.signal);
    const free = join(store, UNFINISHED, model.commit);
    claimed = await claim(free);
    // The name of the folder is that of the model.
    const folder = join(claimed, repository.split('/')[1]!);
    await downloadAll(endpoint, model, folder, options);
    const from = `${HUB_PREFIX}${repository}@${model.commit}`;
    const { license } = model;
    const added = await addModel(folder, { modelsDir: store, language: options.language, from, license });
    isDone = true;
    return added;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof DowserError && error.code !== 'MODEL_CORRUPT') throw error;
    throw fetchFailed(error, asFolder, join(store, repository.split('/')[1]!));
  } finally {
    if (claimed !== undefined) await release(claimed, isDone).catch(() => undefined);
  }
}

const NO_PACKAGES: PinnedFolder['packages'] = [{ package: '', folder: '', files: [] }];

const PART = /^(?!\.{1,2}$)[\w.-]{1,96}$/;
const REVISION = /^(?!.*\.\.)[\w./-]{1,128}$/;

function parseName(named: string): { readonly repository: string; readonly revision: string } {
  const [repository = '', revision = 'main', ...more] = named.slice(HUB_PREFIX.length).split('@');
  const parts = repository.split('/');
  const isRepository = named.length <= 400 && parts.length === 2 && parts.every((part) => PART.test(part));
  if (isRepository && more.length === 0 && REVISION.test(revision)) return { repository, revision };
  throw new DowserError('INVALID_REQUEST', `${showValue(named)} does not name a model of the hub.`, {
    hint: 'Write hf:OWNER/NAME, or hf:OWNER/NAME@REVISION with a branch, a tag or a commit.',
  });
}

/** Over plain http, the checksums could be as wrong as the files. */
function parseEndpoint(endpoint = HUB): string {
  const url = endpoint.length <= 2000 && URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href;
  throw new DowserError('INVALID_SETTING', `HF_ENDPOINT is not an https address: ${showValue(endpoint)}.`, {
    hint: `Use an address such as ${HUB}. http is allowed for this machine only.`,
  });
}

async function describe(
  endpoint: string,
  repository: string,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<HubModel> {
  const address = `${endpoint}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const limit = AbortSignal.timeout(30_000);
  const until = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const response = await fetch(address, { signal: until }).catch((cause: unknown) => {
    throw until.aborted ? cause : unreachable(endpoint, repository, cause);
  });
  if (new URL(response.url).origin !== new URL(endpoint).origin) throw new Error(`${address} leads elsewhere`);
  const text = await textOf(response);
  if (response.status === 401 || response.status === 403 || response.status === 404) {
    throw new DowserError(
      'INVALID_REQUEST',
      `The hub has no public model ${repository} with the revision ${revision}.`,
      {
        hint: 'Check the name. Of a model that needs a sign-in, download the files and add the folder with `dowser model use FOLDER`.',
      },
    );
  }
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  const read = asObject(text);
  const { sha } = read;
  if (typeof sha !== 'string' || !/^[0-9a-f]{40}$/.test(sha)) throw new Error(`${address} names no commit`);
  const listed = Array.isArray(read.siblings) ? read.siblings.filter(isJsonObject) : [];
  return { repository, commit: sha, license: licenseOf(read), files: filesOf(repository, listed) };
}

/** No answer at all. The reason, such as that the name is unknown, is the cause of what `fetch` throws. */
function unreachable(endpoint: string, repository: string, thrown: unknown): DowserError {
  const { cause } = thrown as Error;
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return new DowserError('MODEL_DOWNLOAD_FAILED', `The hub at ${endpoint} cannot be reached${reason}.`, {
    hint: `Check the network, or name a mirror in HF_ENDPOINT. Without one, download ${repository} elsewhere and add its folder with \`dowser model use FOLDER\`.`,
    cause: thrown,
  });
}

async function textOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_METADATA_CHARS) throw new Error('the metadata of the model is too large');
  }
  return text;
}

function asObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new Error('the hub answers with something that is no JSON object');
}

function licenseOf({ cardData }: JsonObject): string | undefined {
  const license = isJsonObject(cardData) ? cardData.license : undefined;
  return typeof license === 'string' && /^[\w.-]{1,64}$/.test(license) ? license : undefined;
}

/** The files that a sentence model needs, of those that the hub lists. */
function filesOf(repository: string, listed: readonly JsonObject[]): readonly HubFile[] {
  const byName = new Map(listed.map((file) => [file.rfilename, file]));
  const weights = WEIGHTS.find((name) => byName.has(name));
  if (weights === undefined) {
    throw new DowserError('INVALID_REQUEST', `The model ${repository} has no ${WEIGHTS[0]} and no ${WEIGHTS[1]}.`, {
      hint: 'Look for a copy of the model with weights in the ONNX format.',
    });
  }
  const wanted = [...MODEL_FILES, `${weights}_data`, weights].filter((name) => byName.has(name));
  const files = wanted.map((name) => toFile(name, byName.get(name)!));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_BYTES) return files;
  throw new DowserError('INVALID_REQUEST', `The model ${repository} has ${bytes} bytes; ${MAX_BYTES} are allowed.`);
}

function toFile(name: string, { size, blobId, lfs }: JsonObject): HubFile {
  const large = isJsonObject(lfs) ? lfs : null;
  const kind = large === null ? 'git' : 'sha256';
  const [hex, bytes] = large === null ? [blobId, size] : [large.sha256, large.size];
  const isDigest = typeof hex === 'string' && /^[0-9a-f]+$/.test(hex) && hex.length === (kind === 'git' ? 40 : 64);
  if (!isDigest || !Number.isSafeInteger(bytes) || (bytes as number) < 0) {
    throw new Error(`the hub has no checksum of ${name}`);
  }
  return { name, bytes: bytes as number, digest: { kind, hex } };
}

async function downloadAll(
  endpoint: string,
  { repository, commit, files }: HubModel,
  folder: string,
  { onProgress, signal, stallMs = 30_000 }: HubModelOptions,
): Promise<void> {
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const file of files) {
    const download = {
      address: `${endpoint}/${repository}/resolve/${commit}/${file.name}`,
      path: join(folder, file.name),
      file,
      signal,
      stallMs,
      onBytes: (done: number) =>
        onProgress?.({ model: repository, phase: 'downloading', doneBytes: before + done, totalBytes }),
    };
    await downloadFile(download);
    before += file.bytes;
  }
}

interface Download {
  readonly address: string;
  readonly path: string;
  readonly file: HubFile;
  readonly signal: AbortSignal | undefined;
  readonly stallMs: number;
  readonly onBytes: (done: number) => void;
}

/** Goes on where an earlier download ended. A file that is not as the hub describes it is deleted. */
async function downloadFile(download: Download): Promise<void> {
  const { path, file, signal } = download;
  await mkdir(dirname(path), { recursive: true });
  for (let failures = 0, had = await sizeOf(path); had < file.bytes; ) {
    try {
      await receive(download, had);
    } catch (error) {
      signal?.throwIfAborted();
      const has = await sizeOf(path);
      failures = has > had ? 0 : failures + 1;
      had = has;
      if (failures === MAX_ATTEMPTS || !(error instanceof Interrupted))
        throw error instanceof Interrupted ? error.cause : error;
      await wait(PAUSE_MS, undefined, { signal });
      continue;
    }
    had = await sizeOf(path);
  }
  const found = await digestOf(path, file);
  if (found === file.digest.hex) return;
  await rm(path, { force: true });
  const { kind, hex } = file.digest;
  throw new DowserError('MODEL_CORRUPT', `${file.name} should have ${kind} ${hex} but has ${found}.`);
}

/** The connection ended. What was received is in the file. */
class Interrupted extends Error {}

async function receive({ address, path, file, signal, stallMs, onBytes }: Download, had: number): Promise<void> {
  const stalled = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const resetTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(new Error(`nothing received for ${stallMs} ms`)), stallMs);
  };
  resetTimer();
  const until = signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]);
  const headers = { 'Accept-Encoding': 'identity', ...(had > 0 ? { Range: `bytes=${had}-` } : {}) };
  const interrupted = (cause: unknown) => {
    throw new Interrupted('interrupted', { cause });
  };
  try {
    const response = await fetch(address, { headers, signal: until }).catch(interrupted);
    if (response.status >= 500) interrupted(new Error(`${address} answers ${response.status}`));
    if (response.status !== 200 && response.status !== 206) {
      await response.body?.cancel();
      throw new Error(`${address} answers ${response.status}`);
    }
    // A host that does not know ranges sends all of it.
    let done = response.status === 206 ? had : 0;
    const output = await open(path, done === 0 ? 'w' : 'a');
    try {
      const parts = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      for (;;) {
        const next = await parts.next().catch(interrupted);
        if (next === undefined || next.done === true) break;
        resetTimer();
        done += next.value.length;
        if (done > file.bytes) throw new Error(`${address} has more than ${file.bytes} bytes`);
        await output.writeFile(next.value);
        onBytes(done);
      }
    } finally {
      await output.close();
    }
    if (done < file.bytes) interrupted(new Error(`received ${done} of ${file.bytes} bytes`));
  } finally {
    clearTimeout(timer);
  }
}

async function digestOf(path: string, { bytes, digest }: HubFile): Promise<string> {
  const hash = createHash(digest.kind === 'git' ? 'sha1' : 'sha256');
  // Git puts this before the content of a file.
  if (digest.kind === 'git') hash.update(`blob ${bytes}\0`);
  if ((await sizeOf(path)) > 0) await pipeline(createReadStream(path), hash, { end: false });
  return hash.digest('hex');
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * Takes the folder of an unfinished download, by renaming it, so that two processes do not write to one file. That of a process
 * that was killed is taken over. Folders that nobody has gone on with for a week are deleted.
 */
async function claim(free: string): Promise<string> {
  const own = `${free}${CLAIM}${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const parent = dirname(free);
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const [base, claimant = ''] = name.split(CLAIM);
    const pid = Number(claimant.split('-').at(-2));
    const isHeld = claimant !== '' && !(claimant.startsWith(`${hostname()}-${pid}-`) && !isRunning(pid));
    const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (base === basename(free) && !isHeld) await rename(path, own).catch(() => undefined);
    else if (age > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
  await mkdir(own, { recursive: true });
  return own;
}

async function release(own: string, isDone: boolean): Promise<void> {
  if (isDone) return rm(own, { recursive: true, force: true });
  await rename(own, own.slice(0, own.lastIndexOf(CLAIM)));
}
