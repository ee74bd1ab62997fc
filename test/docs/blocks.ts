import { readdirSync, readFileSync } from 'node:fs'

const guides = readdirSync('docs').filter((name) => name.endsWith('.md'))

/** README.md and the guides: the pages for users of fauxgate that are not generated. */
export const documents: readonly string[] = ['README.md', 'llms.txt', ...guides.map((name) => `docs/${name}`)]

export interface Block {
  readonly document: string
  readonly line: number
  /** The heading that it stands under. */
  readonly heading: string
  readonly language: string
  /** True for a part of something, marked so, which runs among the names of `surroundings.ts`. */
  readonly isFragment: boolean
  /** The name of the file that it is, or is a part of, as its first line says. */
  readonly file: string | undefined
  readonly code: string
}

/** A first line such as `// domains.test.ts` or `# examples/python/conftest.py`. */
const NAMED = /^(?:\/\/|#) ([\w./-]+\.\w+)\n/

const BLOCK = /^```(\w+)( fragment)?\n([\s\S]*?)^```$/gm

/** The code blocks of a document. */
export function blocksOf(document: string): Block[] {
  const text = readFileSync(document, 'utf8')
  return [...text.matchAll(BLOCK)].map(({ index, 1: language = '', 2: mark, 3: code = '' }) => ({
    document,
    line: text.slice(0, index).split('\n').length,
    heading: /^#+ (.*)$(?![\s\S]*^#+ )/m.exec(text.slice(0, index))?.[1] ?? '',
    language,
    isFragment: mark !== undefined,
    file: NAMED.exec(code)?.[1],
    code,
  }))
}

/** Those of all documents that are in one of some languages. */
export function blocksIn(...languages: readonly string[]): Block[] {
  return documents.flatMap(blocksOf).filter(({ language }) => languages.includes(language))
}
