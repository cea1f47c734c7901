const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What a browser sees at `/`: the name of the thing, where to go next, and one command to try. */
export function homePage(origin: string, version: string): string {
  const curl = `curl ${origin}/api/search/semantic -H 'Content-Type: application/json' -d '{"query": "read a web page"}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dowser</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; }
</style>
</head>
<body>
<h1>Dowser</h1>
<p>A registry and search engine for MCP servers, tools, agents, skills, packages and documents. This is its API, version ${escaped(version)}.</p>
<pre><code>${escaped(curl)}</code></pre>
<ul>
<li><a href="/openapi.json">The API, described</a></li>
<li><a href="/api/health">How this server is doing</a></li>
</ul>
</body>
</html>
`;
}
