// Parts of Markdown pages.

/** Returns a table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ')
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head).replaceAll('|  ', '| '), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Returns the fragment of a heading's address, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * Returns a page with the parts that are made, each between comments with its name.
 * @throws Error if the page has no place for one.
 */
export function withParts(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const place = new RegExp(`(<!-- ${name}: npm run generate -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`)
    if (!place.test(text)) throw new Error(`The page has no place for ${name}.`)
    return text.replace(place, (_, start, end) => `${start}${part}\n${end}`)
  }, page)
}
