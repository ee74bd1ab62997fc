// Formats parts of Markdown pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns a table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head).replaceAll('|  ', '| '), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Returns the anchor of a heading, as GitHub derives it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * Reads a page of the repository, and returns its path, and its text with the generated parts. Each part is between
 * comments with its name.
 * @throws Error if the page has no place for a part.
 */
export function withParts(root: string, path: string, parts: Readonly<Record<string, string>>): [string, string] {
  let text = readFileSync(join(root, path), 'utf8')
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name}: npm run generate -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`)
    if (!place.test(text)) throw new Error(`${path} has no place for ${name}.`)
    text = text.replace(place, (_, start, end) => `${start}${part}\n${end}`)
  }
  return [path, text]
}
