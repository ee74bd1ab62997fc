/** How long a line of a source is at the most. */
export const WIDTH = 120

/** A documentation comment of these paragraphs, at this depth of indentation. */
export function comment(paragraphs: readonly string[], indent = ''): string {
  const [only = ''] = paragraphs
  const oneLine = `${indent}/** ${only} */`
  if (paragraphs.length === 1 && oneLine.length <= WIDTH) return `${oneLine}\n`
  const lines = paragraphs.flatMap((paragraph, place) => [
    ...(place > 0 && !paragraph.startsWith('@') ? [''] : []),
    ...wrapped(paragraph, WIDTH - indent.length - 3),
  ])
  const body = lines.map((line) => `${indent} *${line && ' '}${line}\n`).join('')
  return `${indent}/**\n${body}${indent} */\n`
}

/** A text in lines of at most this width, broken at spaces. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line]
}

/** A type of several, on one line where it fits behind what stands before it. */
export function union(before: string, types: readonly string[], indent = ''): string {
  const oneLine = `${before} ${types.join(' | ')}`
  if (oneLine.length <= WIDTH) return `${oneLine}\n`
  return `${before}\n${types.map((type) => `${indent}  | ${type}\n`).join('')}`
}

/** A text as TypeScript has it. */
export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value)
}

/** `reservedAddrs` as `reserved-addrs`. */
export function kebabCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `reservedAddrs` as `ReservedAddrs`. */
export function pascalCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
