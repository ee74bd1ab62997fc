const FACTS = ['field', 'rule', 'received', 'allowed', 'choices', 'nearest', 'typed']

/** Returns the details of an error without the facts about its first field. */
export function withoutFacts(details: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !FACTS.includes(name)))
}
