import { oneOfThese } from '../core/schema/options.ts'
import { toSnakeCase, toTypeName } from '../core/schema/text.ts'

/** Writes the name of a setting as the languages of the fixtures, and the shell, write it. */
const NAMES = {
  javascript: (setting: string) => `\`${setting}\``,
  python: (setting: string) => `\`${toSnakeCase(setting)}\``,
  go: (setting: string) => `\`${toTypeName(setting)}\``,
  shell: (setting: string) => `--${toSnakeCase(setting).replaceAll('_', '-')}`,
}

/** The language of the program that a text is for. */
export type Language = keyof typeof NAMES

/** The schema of a parameter that chooses the language of a text. */
export const language = oneOfThese(['javascript', 'python', 'go', 'shell'] as const satisfies readonly Language[])

/** Replaces the names of settings in a text, which are in backticks, with what the program's language calls them. */
export function nameSettings(text: string, settings: readonly string[], to: Language): string {
  return text.replace(/`(\w+)`/g, (quoted, name) => (settings.includes(name) ? NAMES[to](name) : quoted))
}
