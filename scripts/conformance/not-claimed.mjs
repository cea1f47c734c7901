// What the suite asks for and Dowser does not claim. Any other failure counts.

/** Scenarios that call a tool, a prompt or a resource of the suite's own example server, or a feature that Dowser does not declare. */
const SCENARIOS = [
  /^tools-call-/,
  /^json-schema-2020-12$/,
  /^resources-(?:read-|templates-read)/,
  /^resources-(?:un)?subscribe$/,
  /^prompts-/,
  /^completion-complete$/,
  /^logging-set-level$/,
  /^elicitation-/,
  /^input-required-result-/,
  /^http-custom-header-server-validation$/,
];

/** Checks of the other scenarios that need the same. */
const CHECKS = new Set([
  'sep-2549-prompts-list-caching-hints',
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]);

/** How a check says that the server does not have it. */
const ABSENT =
  /not found|-32601|-32602|not testable|does not (?:list|support|expose|advertise)|no tool|missing tool|unknown|not available|expected InputRequiredResult|prerequisite failed/i;

export function isNotClaimed(scenario, { id, errorMessage = '' }) {
  return (CHECKS.has(id) || SCENARIOS.some((name) => name.test(scenario))) && ABSENT.test(errorMessage);
}
