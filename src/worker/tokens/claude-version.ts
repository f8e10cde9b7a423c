/** From this version on Claude has another tokenizer, thinks by default and refuses a temperature. */
const NEW_GENERATION = 407;

const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i;

export function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

/** True up to Claude 4.6. A name without a version is taken for a new one, whose bounds are the higher. */
export function isClaudeUpTo46(model: string): boolean {
  const match = VERSION.exec(model);
  if (match === null) return false;
  return Number(match[1]) * 100 + Number(match[2] ?? 0) < NEW_GENERATION;
}
