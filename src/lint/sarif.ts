import { findingsOf, type ServerReport } from './report.ts';
import { RULES } from './rules.ts';

export interface SarifOptions {
  readonly version: string;
  /** The file that was read, as a relative address. Absent: a command or an address. */
  readonly file?: string | undefined;
  /** The line of a tool, or of a server, in that file. */
  readonly lineOf: (server: string, tool: string | undefined) => number;
}

/** SARIF 2.1.0, as code scanning services read it. */
export function toSarif(servers: readonly ServerReport[], { version, file, lineOf }: SarifOptions): object {
  const rules = Object.entries(RULES).map(([id, { level, title }]) => ({
    id,
    shortDescription: { text: title },
    help: { text: `See docs/lint.md, ${id}.` },
    defaultConfiguration: { level },
  }));
  const ids = rules.map(({ id }) => id);
  const results = servers.flatMap((server) =>
    findingsOf(server).map(({ rule, tool, problem, advice }) => {
      const name = tool === undefined ? server.path : `${server.path}#${tool}`;
      const line = { startLine: lineOf(server.name, tool) };
      return {
        ruleId: rule,
        ruleIndex: ids.indexOf(rule),
        level: RULES[rule].level,
        message: { text: `${name}: ${problem} ${advice}` },
        locations: [
          {
            ...(file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: file }, region: line } }),
            logicalLocations: [{ fullyQualifiedName: name, kind: tool === undefined ? 'module' : 'function' }],
          },
        ],
        partialFingerprints: { 'dowserLint/v1': `${rule}:${name}` },
      };
    }),
  );
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Dowser', version, rules } }, results }],
  };
}
