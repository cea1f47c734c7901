/**
 * Texts that are probably secrets. Only the kind is reported, never the text. Every repeat has a limit, or begins where no other
 * match can: anyone can store a long text, and the time must grow with its length only.
 */
const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['private key', /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/],
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['GitHub token', /\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_\w{30,}\b/],
  ['Slack token', /\bxox[abeprs]-[\w-]{10}/],
  ['API key', /\bsk-[A-Za-z0-9_-]{20}|\bAIza[\w-]{30}/],
  ['JSON web token', /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8}/],
  ['password in a URL', /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/]{1,200}:[^\s:@/]{3,200}@/i],
  [
    'password',
    /\b(?:password|passwd|pwd|secret|api[_-]?key|token)\s{0,10}(?:is|=|:)\s{0,10}["']?[^\s"']{0,100}?[\d!@#$%^&*][^\s"']{4}/i,
  ],
];

/** The kinds of secrets in a text. */
export function secretsIn(text: string): readonly string[] {
  return PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
}
