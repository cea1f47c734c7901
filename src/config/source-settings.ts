import type { SettingDefinitions } from './setting-definition.ts';
import { onOff, whole, words } from './setting-values.ts';

/** Limits for reading sources. */
export const SOURCE_SETTINGS = {
  source_connect_ms: {
    schema: whole(100, 600_000).default(10_000),
    env: ['DOWSER_SOURCE_CONNECT_MS'],
    meaning:
      'How long to wait for a server of `add` or `refresh` to connect, in milliseconds. For a program, the time counts from its last sign of progress.',
  },
  source_start_ms: {
    schema: whole(100, 3_600_000).default(300_000),
    env: ['DOWSER_SOURCE_START_MS'],
    meaning:
      'How long a program may take to start while it makes progress, such as `npx` while it downloads a package, in milliseconds.',
  },
  source_list_ms: {
    schema: whole(100, 600_000).default(10_000),
    env: ['DOWSER_SOURCE_LIST_MS'],
    meaning:
      'How long to wait for the lists of tools, prompts and resources of a server, and for each HTTP request, in milliseconds.',
  },
  source_max_bytes: {
    schema: whole(1024, 1024 * 1024 * 1024).default(10 * 1024 * 1024),
    env: ['DOWSER_SOURCE_MAX_BYTES'],
    shown: `\`${10 * 1024 * 1024}\` (10 MiB)`,
    meaning: 'The largest document or message of a source, in bytes. All of them together may be 32 times as large.',
  },
  source_max_items: {
    schema: whole(1, 1_000_000).default(50_000),
    env: ['DOWSER_SOURCE_MAX_ITEMS'],
    meaning:
      'The maximum number of entities from one source, such as a registry. The report says if a list was cut short.',
  },
  source_total_ms: {
    schema: whole(100, 86_400_000).default(600_000),
    env: ['DOWSER_SOURCE_TOTAL_MS'],
    meaning: 'How long reading one source may take, in milliseconds. The report says if a list was cut short.',
  },
  tool_discovery: {
    schema: onOff.default(true),
    env: ['DOWSER_TOOL_DISCOVERY'],
    meaning: 'Read the tools of a server at its address when it is registered at `/api/servers/register`.',
  },
  discovery_private_addresses: {
    schema: onOff.default(false),
    env: ['DOWSER_DISCOVERY_PRIVATE_ADDRESSES'],
    meaning: 'Whether the server may read registered servers at private and link-local addresses.',
  },
  watch_folders: {
    schema: words.default([]),
    env: ['DOWSER_WATCH_FOLDERS'],
    shown: 'none',
    meaning:
      'Folders, separated by commas, that `dowser serve` keeps its [collections](documents.md#stay-fresh) of documents like: it scans those in them at the start and after each change. It reads no other folder. Collections that were made with a key are left alone: make them with `dowser docs add` on this machine.',
  },
  watch_skills: {
    schema: onOff.default(false),
    env: ['DOWSER_WATCH_SKILLS'],
    meaning:
      'Whether `dowser serve` reads the [folders of skills](sources.md#skills-that-stay-fresh) that were added on this machine at the start and after each change.',
  },
  refresh_interval: {
    schema: whole(0, 31_536_000).default(0),
    env: ['DOWSER_REFRESH_INTERVAL'],
    meaning: 'How often to read all enabled servers with an address again, in seconds. 0: never.',
  },
} as const satisfies SettingDefinitions;
