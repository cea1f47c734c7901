const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const LINKS = [
  ['/openapi.json', 'API description (OpenAPI)'],
  ['/api/health', 'Health of this server'],
  ['/v0.1/servers', 'Servers, in the format of the official MCP registry'],
  ['/.well-known/ard.json', 'ARD manifest of this host'],
  ['/.well-known/agent-card.json', 'Dowser as an A2A agent'],
] as const;

/** The page at `/`: two commands to try, and links. */
export function homePage(origin: string, version: string): string {
  const curl = `curl ${origin}/api/search/semantic -H 'Content-Type: application/json' -d '{"query": "read a web page"}'`;
  const connect = `claude mcp add --transport http dowser ${origin}/mcp`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dowser</title>
<link rel="ard" href="/.well-known/ard.json">
<link rel="service-desc" type="application/json" href="/openapi.json">
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; }
</style>
</head>
<body>
<h1>Dowser</h1>
<p>A registry and search engine for MCP servers, tools, agents, skills, packages and documents, version ${escaped(version)}. Ask it:</p>
<pre><code>${escaped(curl)}</code></pre>
<p>Or let an agent ask, at the MCP address <code>${escaped(origin)}/mcp</code>:</p>
<pre><code>${escaped(connect)}</code></pre>
<ul>
${LINKS.map(([href, text]) => `<li><a href="${href}">${text}</a></li>`).join('\n')}
</ul>
</body>
</html>
`;
}
