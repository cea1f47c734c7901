const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const LINKS = [
  ['/openapi.json', 'The API, described'],
  ['/api/health', 'How this server is doing'],
  ['/v0.1/servers', 'The servers, as the official MCP registry lists them'],
  ['/.well-known/ard.json', 'What this host offers to agents (ARD)'],
  ['/.well-known/agent-card.json', 'Dowser as an A2A agent'],
] as const;

/** What a browser sees at `/`: the name of the thing, two commands to try, and where to go next. */
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
