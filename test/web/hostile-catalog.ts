export const LONG = 'x'.repeat(10_000);

/** Texts that try to be more than text. */
export const HOSTILE = [
  '<script>window.harmed = 1</script>',
  '<img src=x onerror="window.harmed = 2">',
  '"><svg onload=window.harmed=3>',
  'javascript:window.harmed=4',
  '{{constructor.constructor("window.harmed=5")()}}',
  '\u202Egnp.exe\u202C',
  'zero\u200Bwidth\u200D\uFEFFtext',
  '👩‍👩‍👧‍👦🏴‍☠️',
  'שלום עולם مرحبا',
] as const;

const all = HOSTILE.join(' ');
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    HOSTILE.map((text) => [text, { type: 'string', description: text, enum: [text, LONG], default: text }]),
  ),
  required: [...HOSTILE],
};

/** Entities whose every text is hostile. */
export const HOSTILE_CATALOG: readonly Record<string, unknown>[] = [
  {
    type: 'mcp_server',
    path: '/hostile',
    name: `hostile ${all}`,
    description: `hostile ${all} ${LONG}`,
    tags: [...HOSTILE, 'hostile'],
    url: 'javascript:window.harmed=6',
    homepage: 'javascript:window.harmed=7',
    repository: 'data:text/html,<script>window.harmed=8</script>',
    license: HOSTILE[0],
    deployment: 'local',
    local_runtime: { command: HOSTILE[0], args: [...HOSTILE] },
    server_json: { icons: [...HOSTILE, 'data:text/html,<script>window.harmed=9</script>'].map((src) => ({ src })) },
    tools: [
      {
        name: 'hostile_tool',
        icons: [{ src: 'https://spy.example/pixel.png' }],
        description: all,
        inputSchema: schema,
        outputSchema: schema,
        annotations: { title: all },
      },
      { name: HOSTILE[1], description: LONG },
    ],
  },
  {
    type: 'skill',
    path: '/skills/hostile',
    name: 'hostile-skill',
    description: all,
    tags: ['hostile'],
    body: `# ${all}\n\n${LONG}\n\n[x](javascript:window.harmed=9)`,
  },
  { type: 'memory', content: `hostile memory ${all} ${LONG}`, path: '/hostile-memory', tags: [...HOSTILE] },
];
