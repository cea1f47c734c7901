/** Texts that are probably secrets. Only the kind is reported, never the text. */
const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['GitHub token', /\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_\w{30,}\b/],
  ['Slack token', /\bxox[abeprs]-[\w-]{10,}/],
  ['API key', /\bsk-[A-Za-z0-9_-]{20,}\b|\bAIza[\w-]{30,}\b/],
  ['JSON web token', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/],
  ['password in a URL', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]+:[^\s:@/]{3,}@/i],
  [
    'password',
    /\b(?:password|passwd|pwd|secret|api[_-]?key|token)\s*(?:is|=|:)\s*["']?[^\s"']*[\d!@#$%^&*][^\s"']{4,}/i,
  ],
];

/** The kinds of secrets in a text. */
export function secretsIn(text: string): readonly string[] {
  return PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
}
