/** A registry small enough to know by heart. */
export const WEB_CATALOG: readonly Record<string, unknown>[] = [
  {
    type: 'mcp_server',
    path: '/pdf-reader',
    name: 'PDF Reader',
    description: 'Reads text and tables of PDF files.',
    tags: ['pdf', 'documents'],
    url: 'https://pdf.example/mcp',
    tools: [
      {
        name: 'read_pdf',
        description: 'Read the text of a PDF file.',
        inputSchema: {
          type: 'object',
          properties: {
            file: { type: 'string', description: 'The path of the file.' },
            pages: { type: 'array', items: { type: 'integer' } },
          },
          required: ['file'],
        },
      },
      { name: 'count', description: 'Pages.' },
    ],
  },
  {
    type: 'mcp_server',
    path: '/weather',
    name: 'Weather',
    description: 'Tells the weather of a city.',
    tags: ['weather'],
    deployment: 'local',
    local_runtime: { type: 'npx', package: 'weather-server' },
    tools: [{ name: 'forecast', description: 'Get the weather forecast of a city.' }],
  },
  {
    type: 'mcp_server',
    path: '/old-weather',
    name: 'Old Weather',
    description: 'Told the weather of a city.',
    tags: ['weather'],
    status: 'deprecated',
  },
  {
    type: 'skill',
    path: '/skills/pdf',
    name: 'pdf',
    description: 'Split and merge PDF files.',
    tags: ['pdf'],
    body: '# PDF\n\nSplit a PDF file into pages.',
  },
  {
    type: 'a2a_agent',
    path: '/agents/travel',
    name: 'Travel Agent',
    description: 'Books flights and hotels.',
    tags: ['travel'],
    url: 'https://travel.example',
  },
];
